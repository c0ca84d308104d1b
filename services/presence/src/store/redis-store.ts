import { type NodeContext, serviceError } from "@fanfare/kernel";
import type { GatewayReport, PresenceStore, PresenceStoreTimes } from "./presence-store.ts";

const PREFIX = "fanfare:{presence}:";
const RETRY_MS = 1000;

type Redis = NonNullable<NodeContext["redis"]>;
type Argument = string | number;
type Script<T> = (...args: Argument[]) => Promise<T>;

/** The store shared by the workers of a cluster. */
export class RedisPresenceStore implements PresenceStore {
  /** Other workers' too. */
  readonly hasChanges = true;
  readonly hasGateways = true;
  readonly #times: PresenceStoreTimes;
  readonly #report: Script<number>;
  readonly #connected: Script<number[]>;
  readonly #count: Script<number>;
  readonly #note: Script<unknown>;
  readonly #claim: Script<string[]>;
  readonly #settle: Script<unknown>;
  readonly #forget: Script<number>;

  constructor(redis: Redis, times: PresenceStoreTimes) {
    this.#times = times;
    this.#report = script(redis, "presenceReport", REPORT);
    this.#connected = script(redis, "presenceConnected", CONNECTED);
    this.#count = script(redis, "presenceCount", COUNT);
    this.#note = script(redis, "presenceNote", NOTE);
    this.#claim = script(redis, "presenceClaim", CLAIM);
    this.#settle = script(redis, "presenceSettle", SETTLE);
    this.#forget = script(redis, "presenceForget", FORGET);
  }

  async report({ gatewayId, number, connected, disconnected }: GatewayReport): Promise<boolean> {
    const { gatewayTimeoutMs, publishDelayMs } = this.#times;
    const users = [connected.length, ...connected, ...disconnected];
    return (await this.#report(gatewayId, number, gatewayTimeoutMs, publishDelayMs, ...users)) === 1;
  }

  async filterConnected(userIds: readonly string[]): Promise<Set<string>> {
    if (userIds.length === 0) return new Set();
    const connected = await this.#connected(...userIds);
    return new Set(userIds.filter((_userId, index) => connected[index] === 1));
  }

  async countConnected(): Promise<number> {
    return this.#count();
  }

  async recordChange(userId: string): Promise<void> {
    await this.#note(userId, this.#times.publishDelayMs);
  }

  async claimChanged(limit: number): Promise<string[]> {
    return this.#claim(limit, this.#times.claimMs, this.#times.publishDelayMs);
  }

  async settle(userIds: readonly string[]): Promise<void> {
    await this.#settle(...userIds);
  }

  async expireGateways(limit: number): Promise<number> {
    const { gatewayTimeoutMs, publishDelayMs, sweepGapMs, deadGatewayTtlMs } = this.#times;
    return this.#forget(limit, gatewayTimeoutMs, publishDelayMs, sweepGapMs, deadGatewayTtlMs);
  }
}

/** @returns a function that rejects with UNAVAILABLE when Redis doesn't respond */
function script<T>(redis: Redis, name: string, lua: string): Script<T> {
  redis.defineCommand(name, { lua, numberOfKeys: 0 });
  const run = Reflect.get(redis, name) as Script<T>;
  return async (...args) => {
    try {
      return await run.call(redis, PREFIX, ...args);
    } catch (error) {
      throw Object.assign(serviceError("UNAVAILABLE", { retryAfterMs: RETRY_MS }), { cause: error });
    }
  };
}

/*
 * Each script runs atomically, by the clock of Redis. Keys are built in the scripts from a prefix. In a Redis cluster all of them
 * must be on one node, which the braces in the prefix ensure.
 *
 *   gateways           sorted set: gateway → time of its last report
 *   numbers            hash: gateway → number of its last report
 *   forgotten:<id>     exists for a while after a gateway was forgotten
 *   gateway:<id>       set: users connected there
 *   user:<id>          set: gateways where the user is connected; absent when there is none
 *   changed            sorted set: user → when the change is due to be published
 *   claimed            sorted set: user → until when a worker has claimed the change
 *   sweep              hash: at → last check for silent gateways, from → none is considered silent before
 */

const START = `
local prefix = ARGV[1]
local function key(name) return prefix .. name end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function note(user, gather) redis.call('ZADD', key('changed'), 'NX', now + gather, user) end
local function leave(user, gateway, gather)
  redis.call('SREM', key('user:' .. user), gateway)
  if redis.call('EXISTS', key('user:' .. user)) == 0 then note(user, gather) end
end
`;

/** gateway, number, timeout, gather, number of connected, connected…, disconnected… → 1 when the gateway is known */
const REPORT = `${START}
local gateway, number, timeout, gather, count = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local seen = redis.call('ZSCORE', key('gateways'), gateway)
if seen then
  if now - seen > timeout then return 0 end
elseif number > 1 or redis.call('EXISTS', key('forgotten:' .. gateway)) == 1 then
  return 0
end
if number <= tonumber(redis.call('HGET', key('numbers'), gateway) or '0') then return 1 end
redis.call('HSET', key('numbers'), gateway, number)
redis.call('ZADD', key('gateways'), now, gateway)
for i = 7, 6 + count do
  local places = key('user:' .. ARGV[i])
  redis.call('SADD', key('gateway:' .. gateway), ARGV[i])
  if redis.call('EXISTS', places) == 0 then note(ARGV[i], gather) end
  redis.call('SADD', places, gateway)
end
for i = 7 + count, #ARGV do
  if redis.call('SREM', key('gateway:' .. gateway), ARGV[i]) == 1 then leave(ARGV[i], gateway, gather) end
end
return 1
`;

/** users… → 1 or 0 for each */
const CONNECTED = `${START}
local connected = {}
for i = 2, #ARGV do connected[i - 1] = redis.call('EXISTS', key('user:' .. ARGV[i])) end
return connected
`;

/** → users, once per gateway */
const COUNT = `${START}
local count = 0
for _, gateway in ipairs(redis.call('ZRANGE', key('gateways'), 0, -1)) do
  count = count + redis.call('SCARD', key('gateway:' .. gateway))
end
return count
`;

/** user, gather */
const NOTE = `${START}
note(ARGV[2], tonumber(ARGV[3]))
`;

/** limit, claim, gather → users. Users claimed by another worker are postponed and don't block others. */
const CLAIM = `${START}
local limit, claim, gather = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
for _, user in ipairs(redis.call('ZRANGEBYSCORE', key('claimed'), '-inf', now, 'LIMIT', 0, limit)) do
  redis.call('ZREM', key('claimed'), user)
  redis.call('ZADD', key('changed'), now, user)
end
local mine = {}
for _, user in ipairs(redis.call('ZRANGEBYSCORE', key('changed'), '-inf', now, 'LIMIT', 0, limit)) do
  if redis.call('ZADD', key('claimed'), 'NX', now + claim, user) == 1 then
    redis.call('ZREM', key('changed'), user)
    mine[#mine + 1] = user
  else
    redis.call('ZADD', key('changed'), now + gather, user)
  end
end
return mine
`;

/** users… */
const SETTLE = `${START}
for i = 2, #ARGV do redis.call('ZREM', key('claimed'), ARGV[i]) end
`;

/** limit, timeout, gather, gap, forgotten → number of removed users */
const FORGET = `${START}
local limit, timeout, gather, gap = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local forgotten = tonumber(ARGV[6])
local at = tonumber(redis.call('HGET', key('sweep'), 'at') or '0')
if now - at > gap then redis.call('HSET', key('sweep'), 'from', now + timeout) end
redis.call('HSET', key('sweep'), 'at', now)
if now < tonumber(redis.call('HGET', key('sweep'), 'from') or '0') then return 0 end
local gateway = redis.call('ZRANGEBYSCORE', key('gateways'), '-inf', '(' .. (now - timeout), 'LIMIT', 0, 1)[1]
if not gateway then return 0 end
local users = redis.call('SPOP', key('gateway:' .. gateway), limit)
for _, user in ipairs(users) do leave(user, gateway, gather) end
if redis.call('EXISTS', key('gateway:' .. gateway)) == 0 then
  redis.call('ZREM', key('gateways'), gateway)
  redis.call('HDEL', key('numbers'), gateway)
  redis.call('SET', key('forgotten:' .. gateway), 1, 'PX', forgotten)
end
return #users
`;

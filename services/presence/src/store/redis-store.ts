import { serviceError, type NodeContext } from "@fanfare/kernel";
import type { GatewayReport, PresenceStore, PresenceStoreTimes } from "./presence-store.ts";
import { CLAIM, CONNECTED, COUNT, FORGET, NOTE, REPORT, SETTLE } from "./redis-scripts.ts";

const PREFIX = "fanfare:{presence}:";
const RETRY_MS = 1000;

type Redis = NonNullable<NodeContext["redis"]>;
type Argument = string | number;
type Script<T> = (...args: Argument[]) => Promise<T>;

/** The store that the workers of a cluster share. */
export class RedisPresenceStore implements PresenceStore {
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
    const { gatewayTimeoutMs, gatherMs } = this.#times;
    const users = [connected.length, ...connected, ...disconnected];
    return (await this.#report(gatewayId, number, gatewayTimeoutMs, gatherMs, ...users)) === 1;
  }

  async connectedAmong(userIds: readonly string[]): Promise<Set<string>> {
    if (userIds.length === 0) return new Set();
    const connected = await this.#connected(...userIds);
    return new Set(userIds.filter((_userId, index) => connected[index] === 1));
  }

  async countConnected(): Promise<number> {
    return this.#count();
  }

  async noteChange(userId: string): Promise<void> {
    await this.#note(userId, this.#times.gatherMs);
  }

  async claimChanged(limit: number): Promise<string[]> {
    return this.#claim(limit, this.#times.claimMs, this.#times.gatherMs);
  }

  async settle(userIds: readonly string[]): Promise<void> {
    await this.#settle(...userIds);
  }

  async forgetSilent(limit: number): Promise<number> {
    const { gatewayTimeoutMs, gatherMs, sweepGapMs, forgottenMs } = this.#times;
    return this.#forget(limit, gatewayTimeoutMs, gatherMs, sweepGapMs, forgottenMs);
  }
}

/** @returns a function that rejects with UNAVAILABLE where Redis does not answer */
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

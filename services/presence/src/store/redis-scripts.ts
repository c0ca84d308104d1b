/*
 * Each runs in Redis as one step, by the clock of Redis. Keys are put together here from a prefix: with a cluster of Redis they
 * would all have to lie on one node, which the braces in the prefix see to.
 *
 *   gateways           sorted set: gateway → when it reported last
 *   numbers            hash: gateway → number of its last report
 *   forgotten:<id>     exists for a while after a gateway was forgotten
 *   gateway:<id>       set: users connected there
 *   user:<id>          set: gateways where the user is connected; absent when there is none
 *   changed            sorted set: user → when the change is to be told
 *   claimed            sorted set: user → until when a worker is telling it
 *   sweep              hash: at → last look for silent gateways, from → none is silent before
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

/** gateway, number, timeout, gather, how many connected, connected…, disconnected… → 1 when the gateway is known */
export const REPORT = `${START}
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
export const CONNECTED = `${START}
local connected = {}
for i = 2, #ARGV do connected[i - 1] = redis.call('EXISTS', key('user:' .. ARGV[i])) end
return connected
`;

/** → users, at each gateway anew */
export const COUNT = `${START}
local count = 0
for _, gateway in ipairs(redis.call('ZRANGE', key('gateways'), 0, -1)) do
  count = count + redis.call('SCARD', key('gateway:' .. gateway))
end
return count
`;

/** user, gather */
export const NOTE = `${START}
note(ARGV[2], tonumber(ARGV[3]))
`;

/** limit, claim, gather → users. Who is being told by another worker waits a little, and stands in nobody's way. */
export const CLAIM = `${START}
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
export const SETTLE = `${START}
for i = 2, #ARGV do redis.call('ZREM', key('claimed'), ARGV[i]) end
`;

/** limit, timeout, gather, gap, forgotten → how many were forgotten */
export const FORGET = `${START}
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

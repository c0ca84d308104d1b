import type { Redis } from "ioredis";
import type { SharedCounters } from "./counters.ts";

const PREFIX = "fanfare:{limit}:";

/** prefix, then the steps as `SharedCounters.add` takes them, which is answered as there. */
const ADD = `
local answers = {}
for i = 2, #ARGV, 3 do
  local key = ARGV[1] .. ARGV[i]
  local total = redis.call('INCRBY', key, ARGV[i + 1])
  local left = redis.call('PTTL', key)
  if left < 0 then
    left = tonumber(ARGV[i + 2])
    redis.call('PEXPIRE', key, left)
  end
  answers[#answers + 1] = total
  answers[#answers + 1] = left
end
return answers
`;

/** Counters of all processes that use this Redis. */
export function redisCounters(redis: Redis): SharedCounters {
  redis.defineCommand("rateLimitAdd", { lua: ADD, numberOfKeys: 0 });
  const add = Reflect.get(redis, "rateLimitAdd") as (...args: unknown[]) => Promise<number[]>;
  return { add: (steps) => add.call(redis, PREFIX, ...steps) };
}

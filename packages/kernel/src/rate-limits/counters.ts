import type { Redis } from "ioredis";

/** Counts that several gateways add to. */
export interface SharedCounters {
  /**
   * @param steps of each counter in turn: its key, the points to add, and the milliseconds until it begins anew if this is its start
   * @returns of each in the same order: its total, and the milliseconds it has left
   */
  add(steps: readonly (string | number)[]): Promise<number[]>;
}

/** Counters remembered; the oldest is forgotten first. */
const MAX_COUNTERS = 200_000;

interface Counter {
  total: number;
  endsAtMs: number;
}

/** Counters of the threads of one process. */
export class MemoryCounters implements SharedCounters {
  readonly #maxCounters: number;
  /** In the order in which they began. */
  readonly #counters = new Map<string, Counter>();

  constructor(maxCounters = MAX_COUNTERS) {
    this.#maxCounters = maxCounters;
  }

  async add(steps: readonly (string | number)[]): Promise<number[]> {
    const nowMs = Date.now();
    const answers: number[] = [];
    for (let i = 0; i < steps.length; i += 3) {
      const counter = this.#counterOf(String(steps[i]), nowMs, Number(steps[i + 2]));
      counter.total += Number(steps[i + 1]);
      answers.push(counter.total, counter.endsAtMs - nowMs);
    }
    return answers;
  }

  get size(): number {
    return this.#counters.size;
  }

  #counterOf(key: string, nowMs: number, leftMs: number): Counter {
    const known = this.#counters.get(key);
    if (known !== undefined && known.endsAtMs > nowMs) return known;
    this.#counters.delete(key);
    for (const [oldest, { endsAtMs }] of this.#counters) {
      if (endsAtMs > nowMs && this.#counters.size < this.#maxCounters) break;
      this.#counters.delete(oldest);
    }
    const counter = { total: 0, endsAtMs: nowMs + leftMs };
    this.#counters.set(key, counter);
    return counter;
  }
}

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

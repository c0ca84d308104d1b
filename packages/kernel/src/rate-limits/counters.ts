import type { Redis } from "ioredis";
import type { Context, ServiceBroker } from "moleculer";

/** Counters shared by several gateways. */
export interface SharedCounters {
  /**
   * @param steps for each counter: its key, the points to add, and the milliseconds until it resets if this is its first step
   * @returns for each counter in the same order: its total and the milliseconds left
   */
  add(steps: readonly (string | number)[]): Promise<number[]>;
}

/** Maximum number of counters; the oldest is evicted first. */
const MAX_COUNTERS = 200_000;

interface Counter {
  total: number;
  endsAtMs: number;
}

/** Counters of the threads of one process. */
export class MemoryCounters implements SharedCounters {
  readonly #maxCounters: number;
  /** In order of their start. */
  readonly #counters = new Map<string, Counter>();

  constructor(maxCounters = MAX_COUNTERS) {
    this.#maxCounters = maxCounters;
  }

  async add(steps: readonly (string | number)[]): Promise<number[]> {
    const nowMs = Date.now();
    const results: number[] = [];
    for (let i = 0; i < steps.length; i += 3) {
      const counter = this.#counterOf(String(steps[i]), nowMs, Number(steps[i + 2]));
      counter.total += Number(steps[i + 1]);
      results.push(counter.total, counter.endsAtMs - nowMs);
    }
    return results;
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

/** Takes a prefix and the steps of `SharedCounters.add`, and returns its result. */
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

/** Counters shared by all processes that use this Redis. */
export function redisCounters(redis: Redis): SharedCounters {
  redis.defineCommand("rateLimitAdd", { lua: ADD, numberOfKeys: 0 });
  const add = Reflect.get(redis, "rateLimitAdd") as (...args: unknown[]) => Promise<number[]>;
  return { add: (steps) => add.call(redis, PREFIX, ...steps) };
}

type Steps = Parameters<SharedCounters["add"]>[0];

/** The main thread keeps the counters shared by its threads. */
export function hostCounters(broker: ServiceBroker): SharedCounters {
  const counters = new MemoryCounters();
  broker.createService({
    name: "thread-counters",
    actions: { add: ({ params }: Context<{ steps: Steps }>) => counters.add(params.steps) },
  });
  return counters;
}

export function countersOfMainThread(broker: ServiceBroker): SharedCounters {
  return { add: (steps) => broker.call("thread-counters.add", { steps }) };
}

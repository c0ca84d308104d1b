import type { RateLimit } from "@fanfare/contract";
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

/** Maximum number of subjects per limiter; the oldest is evicted first. */
const MAX_RATE_LIMIT_SUBJECTS = 100_000;

/** Usage of one subject since its first call. */
export interface RateWindow {
  readonly subject: string;
  used: number;
  /** Points counted by other processes, as last reported. */
  others: number;
  /** The part of `used` already shared with other processes. */
  shared: number;
  endsAtMs: number;
}

interface RateLimiterOptions {
  /** Multiplies the points, to at least one. */
  factor?: number;
  maxSubjects?: number;
  /** Called for every point taken or returned. */
  onTaken?: (window: RateWindow) => void;
}

/**
 * Allows a number of points per subject in a window that starts with the subject's first call. Uses no timers or promises
 * because it runs for every message.
 */
export class RateLimiter {
  readonly points: number;
  readonly #durationMs: number;
  readonly #maxSubjects: number;
  readonly #onTaken: ((window: RateWindow) => void) | undefined;
  /** In order of their start. */
  readonly #windows = new Map<string, RateWindow>();

  constructor({ points, durationMs, unscaled }: RateLimit, options: RateLimiterOptions = {}) {
    const { factor = 1, maxSubjects = MAX_RATE_LIMIT_SUBJECTS, onTaken } = options;
    this.points = Math.max(1, Math.floor(points * (unscaled === true ? 1 : factor)));
    this.#durationMs = durationMs;
    this.#maxSubjects = maxSubjects;
    this.#onTaken = onTaken;
  }

  /**
   * @param points taken if any are left, so a charge can exceed the limit once; 0 only checks
   * @returns 0 if the call is within the limit, otherwise the milliseconds until the next call is
   */
  take(subject: string, nowMs: number, points = 1): number {
    let window = this.#windows.get(subject);
    if (window === undefined || window.endsAtMs <= nowMs) window = this.#begin(subject, nowMs);
    if (window.used + window.others >= this.points) return window.endsAtMs - nowMs;
    if (points === 0) return 0;
    window.used += points;
    this.#onTaken?.(window);
    return 0;
  }

  /** Returns a point of a call that should not count. */
  giveBack(subject: string): void {
    const window = this.#windows.get(subject);
    if (window === undefined || window.used === 0) return;
    window.used -= 1;
    this.#onTaken?.(window);
  }

  /** The current window of the subject, if any. */
  windowOf(subject: string): RateWindow | undefined {
    return this.#windows.get(subject);
  }

  get size(): number {
    return this.#windows.size;
  }

  #begin(subject: string, nowMs: number): RateWindow {
    this.#windows.delete(subject);
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs && this.#windows.size < this.#maxSubjects) break;
      this.#windows.delete(oldest);
    }
    const window = { subject, used: 0, others: 0, shared: 0, endsAtMs: nowMs + this.#durationMs };
    this.#windows.set(subject, window);
    return window;
  }
}

import type { SharedCounters } from "./counters.ts";

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

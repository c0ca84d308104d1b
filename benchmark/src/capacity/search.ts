/** What a search needs to know of one try. */
export interface Attempt {
  value: number;
  held: boolean;
  /** true: it would not hold another time either. */
  isFinal: boolean;
}

export interface SearchOptions<A extends Attempt> {
  /** Where to begin. */
  from: number;
  atMost: number;
  /** The search ends when what held and what did not are no further apart than this ratio, e.g. 1.1. */
  precision: number;
  attempt: (value: number) => Promise<A>;
}

/**
 * Finds the largest whole number that holds: doubles until one does not, halves the interval (by ratio), and tries the result
 * once more. One bad second of a machine is no limit of a server, and one lucky one no capacity: a value has failed when it did
 * not hold twice, and the result has held twice.
 */
export class Search<A extends Attempt> {
  /** The largest value that holds; null: none yet. */
  held: A | null = null;
  /** The smallest value that does not; null: none yet, or the search ended at `atMost`. */
  failed: A | null = null;
  /** In the order in which they were made. */
  readonly attempts: A[] = [];
  readonly #options: SearchOptions<A>;

  constructor(options: SearchOptions<A>) {
    this.#options = options;
  }

  /** What an attempt throws ends the search; what was found until then stays. */
  async run(): Promise<void> {
    for (;;) {
      for (let value = this.#next(); value !== undefined; value = this.#next()) await this.#try(value);
      const candidate = this.held;
      if (!candidate) return;
      await this.#try(candidate.value);
      if (this.held !== null && this.failed?.value !== candidate.value) return;
    }
  }

  /** undefined: close enough. */
  #next(): number | undefined {
    const { from, atMost, precision } = this.#options;
    const low = this.held?.value ?? 0;
    const high = this.failed?.value;
    if (high === undefined) {
      if (low === atMost) return undefined;
      return Math.min(atMost, low === 0 ? from : low * 2);
    }
    if (high - low <= 1 || (low > 0 && high / low <= precision)) return undefined;
    if (low === 0) return Math.floor(high / 2);
    return Math.min(high - 1, Math.max(low + 1, Math.round(Math.sqrt(low * high))));
  }

  async #try(value: number): Promise<void> {
    let latest = await this.#attempt(value);
    if (!latest.held && !latest.isFinal) latest = await this.#attempt(value);
    if (latest.held) {
      this.held = latest;
      return;
    }
    this.failed = latest;
    const smaller = this.attempts.filter((attempt) => attempt.held && attempt.value < value);
    this.held = smaller.toSorted((a, b) => b.value - a.value)[0] ?? null;
  }

  async #attempt(value: number): Promise<A> {
    const attempt = await this.#options.attempt(value);
    this.attempts.push(attempt);
    return attempt;
  }
}

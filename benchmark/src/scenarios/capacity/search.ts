/** One attempt, as the search needs it. */
export interface Attempt {
  value: number;
  held: boolean;
  /** true: a retry would fail too. */
  isFinal: boolean;
}

export interface SearchOptions<A extends Attempt> {
  /** The first value to try. */
  from: number;
  atMost: number;
  /** The search ends when the ratio of the failing to the passing value is below this, for example 1.1. */
  precision: number;
  attempt: (value: number) => Promise<A>;
}

/**
 * Finds the largest integer that passes: doubles until one fails, bisects the interval (by ratio), and verifies
 * the result. To tolerate noise, a value has failed only after failing twice, and the result has passed twice.
 */
export class Search<A extends Attempt> {
  /** The largest passing value; null: none yet. */
  held: A | null = null;
  /** The smallest failing value; null: none yet, or the search ended at `atMost`. */
  failed: A | null = null;
  /** In the order they were made. */
  readonly attempts: A[] = [];
  readonly #options: SearchOptions<A>;

  constructor(options: SearchOptions<A>) {
    this.#options = options;
  }

  /** An attempt that throws ends the search, which keeps what it has found. */
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

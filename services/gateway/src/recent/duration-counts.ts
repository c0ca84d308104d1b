/** How many took at most so long, and longer than the one before, in milliseconds. */
export type DurationCount = [upToMs: number, count: number];

const SMALLEST_MS = 1 / 16;
/** An upper bound is at most 19 % too high. */
const BUCKETS_PER_DOUBLING = 4;
/** The last one stands for 15 minutes and more. */
const BUCKETS = 96;

/** Durations, counted in buckets that grow with them: 400 bytes however many there are. */
export class DurationCounts {
  readonly #counts = new Uint32Array(BUCKETS);
  #maxMs = 0;

  add(durationMs: number, count = 1): void {
    const bucket = Math.ceil(Math.log2(durationMs / SMALLEST_MS) * BUCKETS_PER_DOUBLING);
    this.#counts[Math.max(0, Math.min(BUCKETS - 1, bucket))]! += count;
    if (durationMs > this.#maxMs) this.#maxMs = durationMs;
  }

  /** What was added since the last time: buckets that have any, shortest first, and the longest duration itself. */
  take(): { counts: DurationCount[]; maxMs: number } {
    const counts: DurationCount[] = [];
    for (const [bucket, count] of this.#counts.entries()) {
      if (count > 0) counts.push([SMALLEST_MS * 2 ** (bucket / BUCKETS_PER_DOUBLING), count]);
    }
    const taken = { counts, maxMs: this.#maxMs };
    this.#counts.fill(0);
    this.#maxMs = 0;
    return taken;
  }
}

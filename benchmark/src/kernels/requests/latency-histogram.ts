import { PERCENTILES, rankOf, type OpenPercentiles } from "../broadcast/percentiles.ts";

const MICROSECONDS = 1000;
/** Longer values count as this. */
const LONGEST_MS = 10 * 60 * 1000;
/** Each microsecond below this has its own count; above, each power of two has half as many counts. */
const EXACT = 2048;

/** Any number of latencies of all threads, in constant shared memory, with three digits. */
export class LatencyHistogram {
  readonly counts: Uint32Array<SharedArrayBuffer>;

  /** @param counts of the same histogram in another thread */
  constructor(counts = new Uint32Array(new SharedArrayBuffer(4 * (indexOf(LONGEST_MS) + 1)))) {
    this.counts = counts;
  }

  record(latencyMs: number): void {
    Atomics.add(this.counts, indexOf(latencyMs), 1);
  }

  get count(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * @param maxMs the exact maximum
   * @param missing how many more values never arrived: they are the slowest, and a percentile among them is null
   * @returns null without values
   */
  percentiles(maxMs: number, missing = 0): OpenPercentiles | null {
    const { count } = this;
    if (count === 0) return null;
    const at = (p: number) => {
      const rank = rankOf(p, count + missing);
      if (rank > count) return null;
      return rank === count ? maxMs : Math.min(maxMs, this.#valueOfRank(rank));
    };
    return Object.fromEntries(PERCENTILES.map((p) => [`p${p}`, at(p)])) as OpenPercentiles;
  }

  #valueOfRank(rank: number): number {
    let index = 0;
    for (let sum = this.counts[0]!; sum < rank; sum += this.counts[index]!) index++;
    return valueOf(index);
  }
}

function indexOf(ms: number): number {
  const microseconds = Math.round(Math.min(LONGEST_MS, Math.max(0, ms)) * MICROSECONDS);
  const shift = Math.max(0, Math.clz32(EXACT - 1) - Math.clz32(microseconds));
  return shift * (EXACT / 2) + (microseconds >>> shift);
}

/** In milliseconds, the middle of what has this count. */
function valueOf(index: number): number {
  if (index < EXACT) return index / MICROSECONDS;
  const shift = Math.floor(index / (EXACT / 2)) - 1;
  return ((index - shift * (EXACT / 2) + 0.5) * 2 ** shift) / MICROSECONDS;
}

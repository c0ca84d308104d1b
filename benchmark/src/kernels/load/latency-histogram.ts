import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from "hdr-histogram-js";
import type { Bucket } from "../broadcast/histogram.ts";
import { PERCENTILES, rankOf, type OpenPercentiles, type Percentiles } from "../broadcast/percentiles.ts";

const MICROSECONDS = 1000;
/** Longer values are clamped; the maximum stays exact. */
const LONGEST_MS = 10 * 60 * 1000;
const SIGNIFICANT_DIGITS = 3;
/** Upper bounds of the bars, in milliseconds: 0.1, 0.2, 0.5, 1, … */
const BAR_ENDS = Array.from({ length: 7 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** (power - 1)),
).flat();

/** A serialized histogram. */
export interface EncodedLatencies {
  /** HdrHistogram V2, compressed, base64; microseconds. */
  histogram: string;
  /** Exact, unlike the histogram's three digits. */
  maxMs: number;
  /** Per bar, see `bars`. */
  bars: number[];
}

/**
 * Latencies of any number of requests in constant memory; histograms of several threads can be added without
 * loss.
 */
export class LatencyHistogram {
  readonly #histogram: Histogram = build({
    highestTrackableValue: LONGEST_MS * MICROSECONDS,
    numberOfSignificantValueDigits: SIGNIFICANT_DIGITS,
  });
  #maxMs = 0;
  readonly #bars = new Float64Array(BAR_ENDS.length + 1);

  get count(): number {
    return this.#histogram.totalCount;
  }

  record(latencyMs: number): void {
    const ms = Math.max(0, latencyMs);
    this.#histogram.recordValue(Math.round(Math.min(LONGEST_MS, ms) * MICROSECONDS));
    if (ms > this.#maxMs) this.#maxMs = ms;
    let bar = 0;
    while (bar < BAR_ENDS.length && ms >= BAR_ENDS[bar]!) bar++;
    this.#bars[bar]!++;
  }

  add({ histogram, maxMs, bars }: EncodedLatencies): void {
    this.#histogram.add(decodeFromCompressedBase64(histogram));
    this.#maxMs = Math.max(this.#maxMs, maxMs);
    for (const [i, count] of bars.entries()) this.#bars[i]! += count;
  }

  encode(): EncodedLatencies {
    return {
      histogram: encodeIntoCompressedBase64(this.#histogram),
      maxMs: this.#maxMs,
      bars: [...this.#bars],
    };
  }

  /** null without values. The last one is exact, the others have three digits. */
  percentiles(): Percentiles | null {
    return this.openPercentiles(0) as Percentiles | null;
  }

  /** The same, with this many more values that never arrived. */
  openPercentiles(missing: number): OpenPercentiles | null {
    if (this.count === 0) return null;
    return Object.fromEntries(
      PERCENTILES.map((p) => [`p${p}`, this.#valueOfRank(rankOf(p, this.count + missing))]),
    ) as OpenPercentiles;
  }

  #valueOfRank(rank: number): number | null {
    if (rank > this.count) return null;
    if (rank === this.count) return this.#maxMs;
    const microseconds = this.#histogram.getValueAtPercentile((rank / this.count) * 100);
    return Math.min(this.#maxMs, microseconds / MICROSECONDS);
  }

  /** From the first non-empty bar to the last; their widths grow by 1, 2, 5, 10. */
  bars(): Bucket[] {
    const all = [...this.#bars].map((count, i) => ({
      fromMs: BAR_ENDS[i - 1] ?? 0,
      toMs: BAR_ENDS[i] ?? this.#maxMs,
      count,
    }));
    const first = all.findIndex(({ count }) => count > 0);
    return first === -1 ? [] : all.slice(first, all.findLastIndex(({ count }) => count > 0) + 1);
  }
}

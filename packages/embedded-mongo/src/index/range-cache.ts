import { LRUCache } from "lru-cache";
import type { KeyRange } from "./ordered-index.ts";

const MAX_RANGES_PER_PREFIX = 4;
const MAX_PREFIX_LENGTHS = 8;

/** Estimated memory of a range and of an order. */
const RANGE_BYTES = 300;
const ORDER_BYTES = 8;

interface CachedRange {
  readonly range: KeyRange;
  readonly backwards: boolean;
  readonly count: number;
  readonly orders: readonly number[];
}

/** Ranges of several indexes. */
export class CachedRanges {
  /** By index and common prefix of their keys. */
  readonly byPrefix: LRUCache<string, readonly CachedRange[]>;
  readonly #prefixLengths = new Map<string, Set<number>>();

  constructor(maxBytes: number) {
    this.byPrefix = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (ranges) =>
        ranges.reduce((sum, { orders }) => sum + RANGE_BYTES + orders.length * ORDER_BYTES, 0),
    });
  }

  prefixLengths(index: string): Set<number> {
    let lengths = this.#prefixLengths.get(index);
    if (!lengths) this.#prefixLengths.set(index, (lengths = new Set()));
    return lengths;
  }
}

/**
 * The first orders of recently read ranges of an index. All keys of a range have the common prefix of its bounds, by which a changed key
 * finds the ranges that it can be in.
 */
export class RangeCache {
  readonly #ranges: CachedRanges["byPrefix"];
  readonly #index: string;
  readonly #prefixLengths: Set<number>;

  /** @param index its name, which is never reused */
  constructor(ranges: CachedRanges, index: string) {
    this.#ranges = ranges.byPrefix;
    this.#index = index;
    this.#prefixLengths = ranges.prefixLengths(index);
  }

  get(range: KeyRange, backwards: boolean, count: number): readonly number[] | undefined {
    const cached = this.#ranges.get(this.#name(commonPrefix(range)));
    return cached?.find(
      (other) =>
        other.count === count &&
        other.backwards === backwards &&
        other.range.low === range.low &&
        other.range.high === range.high,
    )?.orders;
  }

  set(range: KeyRange, backwards: boolean, count: number, orders: readonly number[]): void {
    const prefix = commonPrefix(range);
    if (!this.#prefixLengths.has(prefix.length)) {
      if (this.#prefixLengths.size >= MAX_PREFIX_LENGTHS) return;
      this.#prefixLengths.add(prefix.length);
    }
    const name = this.#name(prefix);
    const others = this.#ranges.get(name)?.slice(1 - MAX_RANGES_PER_PREFIX) ?? [];
    this.#ranges.set(name, [...others, { range, backwards, count, orders }]);
  }

  /** Removes the ranges that a changed key can be in. */
  changed(key: string): void {
    for (const length of this.#prefixLengths) this.#ranges.delete(this.#name(key.slice(0, length)));
  }

  #name(prefix: string): string {
    return `${this.#index} ${prefix}`;
  }
}

function commonPrefix({ low, high }: KeyRange): string {
  let length = 0;
  while (length < low.length && low.charCodeAt(length) === high.charCodeAt(length)) length++;
  return low.slice(0, length);
}

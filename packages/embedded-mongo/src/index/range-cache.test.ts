import { expect, it } from "vitest";
import { Random } from "../../test/random.ts";
import { AFTER } from "../values/order.ts";
import { CachedRanges, RangeCache } from "./range-cache.ts";

const MAX_BYTES = 1024 * 1024;

it("has the current entries of a range, or none", () => {
  const random = new Random(1);
  const ranges = new CachedRanges(MAX_BYTES);
  const cache = new RangeCache(ranges, "x1");
  const other = new RangeCache(ranges, "x2");
  const entries = new Map<string, number>();
  const text = (length: number) => Array.from({ length }, () => random.pick(["a", "b", "\xff"])).join("");
  const firstOf = (low: string, high: string, backwards: boolean, count: number) => {
    const keys = [...entries.keys()].filter((key) => key >= low && key < high).sort();
    return (backwards ? keys.toReversed() : keys).slice(0, count).map((key) => entries.get(key)!);
  };
  let hits = 0;
  for (let round = 0; round < 20_000; round++) {
    if (random.chance(0.05)) {
      const key = text(4);
      if (!entries.delete(key)) entries.set(key, round);
      cache.changed(key);
      other.set({ low: key, high: key + AFTER }, true, 1, [-1]);
      continue;
    }
    const prefix = text(random.int(4));
    const low = prefix + (random.chance(0.5) ? text(1) + (random.chance(0.5) ? AFTER : "") : "");
    const high = prefix + (random.chance(0.5) ? text(1) : "") + AFTER;
    const [backwards, count] = [random.chance(0.5), 1 + random.int(2)];
    const found = cache.get({ low, high }, backwards, count);
    const expected = firstOf(low, high, backwards, count);
    if (found) hits++;
    else cache.set({ low, high }, backwards, count, expected);
    expect(found ?? expected).toEqual(expected);
  }
  expect(hits).toBeGreaterThan(1000);
});

it("keeps the recently read ranges within its size", () => {
  const cache = new RangeCache(new CachedRanges(MAX_BYTES), "x1");
  const range = (i: number) => ({ low: `${10_000 + i}`, high: `${10_000 + i}${AFTER}` });
  const orders = Array.from({ length: 100 }, (_, i) => i);
  for (let i = 0; i < 5_000; i++) {
    cache.set(range(i), false, 100, orders);
    expect(cache.get(range(0), false, 100)).toBe(orders);
  }
  expect(cache.get(range(1), false, 100)).toBeUndefined();
  expect(cache.get(range(4_990), false, 100)).toBe(orders);
});

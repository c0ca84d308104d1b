import { expect, test } from "vitest";
import { bucketsOf } from "./percentiles.ts";

test("buckets have round bounds and hold every value", () => {
  const buckets = bucketsOf(Float64Array.of(3, 4, 5, 41, 99));
  expect(buckets).toHaveLength(10);
  expect(buckets[0]).toEqual({ fromMs: 0, toMs: 10, count: 3 });
  expect(buckets[4]).toEqual({ fromMs: 40, toMs: 50, count: 1 });
  expect(buckets.at(-1)).toEqual({ fromMs: 90, toMs: 100, count: 1 });
});

test("one value, no value", () => {
  expect(bucketsOf(Float64Array.of(7.5))).toEqual([{ fromMs: 7, toMs: 8, count: 1 }]);
  expect(bucketsOf(new Float64Array())).toEqual([]);
});

test("never more buckets than requested", () => {
  for (let size = 1; size < 200; size++) {
    const values = Float64Array.from({ length: size }, (_, i) => i * 1.37 + size / 3);
    const buckets = bucketsOf(values);
    expect(buckets.length).toBeLessThanOrEqual(13);
    expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(size);
  }
});

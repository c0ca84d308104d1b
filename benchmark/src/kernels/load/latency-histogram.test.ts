import { expect, test } from "vitest";
import { LatencyHistogram } from "./latency-histogram.ts";

function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

test("the histograms of several threads add up", () => {
  const values = Array.from({ length: 10_000 }, (_, i) => ((i * 7919) % 10_000) / 7);
  const merged = new LatencyHistogram();
  for (let thread = 0; thread < 3; thread++)
    merged.add(histogramOf(values.filter((_, i) => i % 3 === thread)).encode());
  const one = histogramOf(values);
  expect(merged.count).toBe(10_000);
  expect(merged.percentiles()).toEqual(one.percentiles());
  expect(merged.bars()).toEqual(one.bars());
});

test("percentiles have three digits, and the last one is exact", () => {
  const percentiles = histogramOf([
    ...Array.from({ length: 999 }, (_, i) => i + 1),
    123_456.789,
  ]).percentiles()!;
  expect(Math.abs(percentiles.p50 - 500)).toBeLessThan(0.5);
  expect(Math.abs(percentiles.p99 - 990)).toBeLessThan(1);
  expect(percentiles.p100).toBe(123_456.789);
});

test("missing values count as the slowest, and percentiles among them are null", () => {
  const histogram = histogramOf(Array.from({ length: 95 }, (_, i) => i + 1));
  const { p50, p90, p95, p99, p100 } = histogram.openPercentiles(5)!;
  expect(Math.abs(p50! - 50)).toBeLessThan(0.1);
  expect(Math.abs(p90! - 90)).toBeLessThan(0.1);
  expect([p95, p99, p100]).toEqual([95, null, null]);
  expect(histogram.openPercentiles(0)).toEqual(histogram.percentiles());
});

test("values above the range are clamped, and the maximum is exact", () => {
  const histogram = histogramOf([1, 3_600_000]);
  expect(histogram.count).toBe(2);
  expect(histogram.percentiles()!.p100).toBe(3_600_000);
});

test("bars cover the range from the shortest to the longest", () => {
  expect(
    histogramOf([0.05, 3, 4, 7, 99_999_999])
      .bars()
      .filter(({ count }) => count > 0),
  ).toEqual([
    { fromMs: 0, toMs: 0.1, count: 1 },
    { fromMs: 2, toMs: 5, count: 2 },
    { fromMs: 5, toMs: 10, count: 1 },
    { fromMs: 500_000, toMs: 99_999_999, count: 1 },
  ]);
  expect(new LatencyHistogram().bars()).toEqual([]);
  expect(new LatencyHistogram().percentiles()).toBeNull();
});

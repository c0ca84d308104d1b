import { expect, test } from "vitest";
import { LatencyHistogram } from "./latency-histogram.ts";

function percentiles(values: readonly number[], missing = 0) {
  const histogram = new LatencyHistogram();
  for (const ms of values) histogram.record(ms);
  return histogram.percentiles(Math.max(0, ...values), missing);
}

test("several threads count together", () => {
  const values = Array.from({ length: 10_000 }, (_, i) => ((i * 7919) % 10_000) / 7);
  const shared = new LatencyHistogram();
  const threads = [shared, new LatencyHistogram(shared.counts), new LatencyHistogram(shared.counts)];
  for (const [i, value] of values.entries()) threads[i % 3]!.record(value);
  expect(shared.count).toBe(10_000);
  expect(shared.percentiles(Math.max(...values))).toEqual(percentiles(values));
});

test("percentiles have three digits, and the last one is exact", () => {
  const values = [...Array.from({ length: 999 }, (_, i) => i + 1), 123_456.789];
  const { p50, p99, p100 } = percentiles(values)!;
  expect(Math.abs(p50! - 500)).toBeLessThan(0.5);
  expect(Math.abs(p99! - 990)).toBeLessThan(1);
  expect(p100).toBe(123_456.789);
});

test("missing values count as the slowest, and percentiles among them are null", () => {
  const values = Array.from({ length: 95 }, (_, i) => i + 1);
  const { p50, p90, p95, p99, p100 } = percentiles(values, 5)!;
  expect(Math.abs(p50! - 50)).toBeLessThan(0.1);
  expect(Math.abs(p90! - 90)).toBeLessThan(0.1);
  expect([p95, p99, p100]).toEqual([95, null, null]);
});

test("values above the range are clamped, and the maximum is exact", () => {
  const histogram = new LatencyHistogram();
  for (const ms of [1, 3_600_000]) histogram.record(ms);
  expect(histogram.count).toBe(2);
  expect(histogram.percentiles(3_600_000)!.p100).toBe(3_600_000);
});

test("no values have no percentiles", () => {
  expect(percentiles([])).toBeNull();
});

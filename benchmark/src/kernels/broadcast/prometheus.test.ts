import { expect, test } from "vitest";
import { histogramChange, parseMetrics, sumOf } from "./server-metrics.ts";

const BEFORE = parseMetrics(`# HELP x_seconds Something.
x_seconds_bucket{le="0.1",action="a"} 1
x_seconds_bucket{le="1",action="a"} 1
x_seconds_bucket{le="+Inf",action="a"} 1
x_seconds_sum{action="a"} 0.05
x_seconds_count{action="a"} 1
`);
const AFTER = parseMetrics(`x_seconds_bucket{le="0.1",action="a"} 91
x_seconds_bucket{le="1",action="a"} 101
x_seconds_bucket{le="+Inf",action="a"} 101
x_seconds_sum{action="a"} 10.05
x_seconds_count{action="a"} 101
x_seconds_bucket{le="0.1",action="b"} 5
x_seconds_count{action="b"} 5
y_total 7
y_total{kind="z"} 3
`);

test("what a histogram counted between two samples", () => {
  const change = histogramChange(BEFORE, AFTER, "x_seconds", { action: "a" });
  expect(change).toEqual({ count: 100, meanMs: 100, p99BelowMs: 1000 });
});

test("no observations, and one beyond the last bucket", () => {
  expect(histogramChange(AFTER, AFTER, "x_seconds")).toEqual({ count: 0, meanMs: null, p99BelowMs: null });
  const slow = parseMetrics(
    'x_seconds_bucket{le="1"} 0\nx_seconds_bucket{le="+Inf"} 2\nx_seconds_count 2\nx_seconds_sum 8',
  );
  expect(histogramChange([], slow, "x_seconds")).toEqual({ count: 2, meanMs: 4000, p99BelowMs: null });
});

test("samples of all labels are summed", () => {
  expect(sumOf(AFTER, "y_total")).toBe(10);
  expect(sumOf(AFTER, "y_total", { kind: "z" })).toBe(3);
  expect(sumOf(AFTER, "nothing")).toBe(0);
});

test("comments are skipped; values can have an exponent, and a time after them", () => {
  const [memory, lag, ...more] = parseMetrics(
    "# TYPE memory_bytes gauge\nmemory_bytes 123456789\nlag_seconds 1.5e-3 1700000000000\n",
  );
  expect(memory).toEqual({ name: "memory_bytes", labels: {}, value: 123_456_789 });
  expect(lag?.value).toBe(0.0015);
  expect(more).toEqual([]);
});

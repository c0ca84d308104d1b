import { expect, test } from "vitest";
import { percentiles, spread } from "./percentiles.ts";

test("p100 is the largest value, p50 the middle one", () => {
  const sorted = Float64Array.from({ length: 1000 }, (_, i) => i + 1);
  expect(percentiles(sorted)).toEqual({
    p50: 500,
    p75: 750,
    p90: 900,
    p95: 950,
    p99: 990,
    "p99.9": 999,
    p100: 1000,
  });
  expect(percentiles(Float64Array.of(7))).toMatchObject({ p50: 7, p100: 7 });
  expect(percentiles(new Float64Array())).toBeNull();
});

test("spread", () => {
  expect(spread([3, 1, 2])).toEqual({ min: 1, median: 2, max: 3 });
  expect(spread([10, 9])).toEqual({ min: 9, median: 9.5, max: 10 });
  expect(spread([])).toBeNull();
});

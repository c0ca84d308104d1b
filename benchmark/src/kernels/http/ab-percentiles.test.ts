import { expect, test } from "vitest";
import { abPercentiles } from "./ab-percentiles.ts";

test("nearest rank, the last one is the maximum", () => {
  const sorted = Float64Array.from({ length: 200 }, (_, i) => i + 1);
  expect(abPercentiles(sorted)!.map(({ percent, ms }) => [percent, ms])).toEqual([
    [50, 100],
    [66, 132],
    [75, 150],
    [80, 160],
    [90, 180],
    [95, 190],
    [98, 196],
    [99, 198],
    [100, 200],
  ]);
  expect(abPercentiles(Float64Array.of(7))!.every(({ ms }) => ms === 7)).toBe(true);
  expect(abPercentiles(new Float64Array())).toBeNull();
});

import { expect, test } from "vitest";
import { rankTest, runsNeeded, smallestProbability } from "./rank-test.ts";

test("sides that don't overlap are as improbable as their sizes allow", () => {
  expect(rankTest([1, 2, 3, 4], [5, 6, 7, 8])).toBeCloseTo(2 / 70, 10);
  expect(smallestProbability(4, 4)).toBeCloseTo(2 / 70, 10);
  expect(smallestProbability(3, 3)).toBeCloseTo(0.1, 10);
  expect(smallestProbability(1, 5)).toBeCloseTo(1 / 3, 10);
});

test("the direction doesn't matter", () => {
  const [a, b] = [
    [3, 9, 4, 5, 7],
    [8, 10, 11, 6, 12],
  ] as const;
  expect(rankTest(a, b)).toBeCloseTo(rankTest(b, a), 10);
  // U = 3, exact two-sided, from published tables of the test.
  expect(rankTest([1, 2, 3, 4, 7], [5, 6, 8, 9, 10])).toBeCloseTo(8 / 252, 10);
});

test("equal values show no difference", () => {
  expect(rankTest([5, 5, 5, 5], [5, 5, 5, 5])).toBe(1);
});

test("for many values, too", () => {
  const base = Array.from({ length: 20 }, (_, i) => i * 2);
  const shifted = base.map((value) => value + 13);
  const alike = base.map((value) => value + 1);
  expect(rankTest(base, shifted)).toBeLessThan(0.01);
  expect(rankTest(base, alike)).toBeGreaterThan(0.5);
});

test("number of runs needed for a significance level", () => {
  expect(runsNeeded(0.05)).toBe(4);
  expect(runsNeeded(0.01)).toBe(5);
  expect(runsNeeded(0.5)).toBe(2);
});

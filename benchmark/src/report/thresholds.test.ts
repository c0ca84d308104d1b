import { expect, test } from "vitest";
import { checkThresholds, parseThresholds } from "./thresholds.ts";

const METRICS = ["p100", "lost", "p99.9"];
const passes = (expression: string, values: Record<string, number | null>) =>
  checkThresholds(parseThresholds([expression], METRICS), values)[0]?.passed;

test.each([
  ["p100<1200", 1199, true],
  ["p100<1200", 1200, false],
  ["p100 <= 1200", 1200, true],
  ["p100>1.5", 1.6, true],
  ["p100>=2", 1.9, false],
  ["p100==0", 0, true],
  ["p99.9<5", 5, false],
])("%s of %d", (expression, value, passed) => {
  expect(passes(expression, { p100: value, "p99.9": value })).toBe(passed);
});

test("a value that was not measured fails", () => {
  expect(passes("p100<1200", { p100: null })).toBe(false);
  expect(passes("p100<1200", {})).toBe(false);
});

test.each(["p100", "p100<", "p100<x", "<5", "p100=5", "p100<5;"])("rejects %s", (expression) => {
  expect(() => parseThresholds([expression], METRICS)).toThrow(/is invalid/);
});

test("an unknown metric is rejected with a list of known ones", () => {
  expect(() => parseThresholds(["p101<5"], METRICS)).toThrow("Metrics: p100, lost, p99.9.");
});

import { expect, test } from "vitest";
import { ResponseBudget, jsonBytes } from "./responses.ts";

test("counts bytes of UTF-8, not characters", () => {
  expect(jsonBytes("語")).toBe(5);
  expect(jsonBytes(undefined)).toBe(0);
});

test("takes items until one does not fit, and none after it", () => {
  const budget = new ResponseBudget(10);
  expect(["aaa", "語".repeat(5), "a"].map((item) => budget.take(item))).toEqual([true, false, false]);
  expect(budget.isExhausted).toBe(true);
});

test("always takes the first item", () => {
  expect(new ResponseBudget(10).takeWhileFits(["a".repeat(100), "a"])).toEqual(["a".repeat(100)]);
  expect(new ResponseBudget(10).takeWhileFits(["a", "b"])).toEqual(["a", "b"]);
});

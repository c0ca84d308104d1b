import { expect, test } from "vitest";
import { medianOf } from "./status-page.tsx";

test("the median splits the values in half", () => {
  expect(medianOf([30, 1, 2])).toBe(2);
  expect(medianOf([10, 1, 2, 4])).toBe(3);
  expect(medianOf([])).toBeNaN();
});

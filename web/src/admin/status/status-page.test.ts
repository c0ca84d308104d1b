import { expect, test } from "vitest";
import { middleOf } from "./status-page.tsx";

test("the median splits the values in half", () => {
  expect(middleOf([30, 1, 2])).toBe(2);
  expect(middleOf([10, 1, 2, 4])).toBe(3);
  expect(middleOf([])).toBeNaN();
});

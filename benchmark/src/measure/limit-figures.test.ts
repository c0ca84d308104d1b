import { expect, test } from "vitest";
import { medianUnlessLost } from "./limit-figures.ts";

test("a lost message is not left out of the median", () => {
  const complete = [1, 5, 3].map((ms) => ({ lost: 0, ms }));
  expect(medianUnlessLost(complete, ({ ms }) => ms)).toBe(3);
  expect(medianUnlessLost([...complete, { lost: 1, ms: 0 }], ({ ms }) => ms)).toBeNull();
  // Of an interrupted run: still unknown.
  const pending = [...complete, { lost: 0, ms: null }];
  expect(medianUnlessLost(pending, ({ ms }) => ms)).toBe(3);
});

import { LIMITS } from "@fanfare/contract";
import { expect, test } from "vitest";
import { SyncBudget } from "./sync.ts";

const ITEM = "x".repeat(10_000);
const MOST = Math.floor(LIMITS.answerMaxBytes / ITEM.length);

const takeAll = (share: ReturnType<SyncBudget["share"]>): number => {
  let taken = 0;
  while (share.take(ITEM)) taken += 1;
  return taken;
};

test("a channel that doesn't fit leaves room for the others", () => {
  const budget = new SyncBudget();
  const large = budget.share();
  expect(takeAll(large)).toBe(MOST);
  expect(budget.share().take(ITEM)).toBe(false);
  large.giveBack();
  expect(budget.share().take(ITEM)).toBe(true);
});

test("channels that don't fit can't cause unlimited reads", () => {
  const budget = new SyncBudget();
  let taken = 0;
  for (let channel = 0; channel < 100; channel += 1) {
    const share = budget.share();
    taken += takeAll(share);
    share.giveBack();
  }
  expect(taken).toBeLessThanOrEqual(2 * MOST);
  expect(budget.isExhausted).toBe(true);
});

import { expect, test } from "vitest";
import { allocateCompactTally, CompactTally } from "./compact-tally.ts";

const EPOCH = 1_000_000;

test("counts who has which message, once, and when the last one got it", () => {
  const tally = new CompactTally(allocateCompactTally(2, 20, EPOCH));
  expect(tally.record(0, 9, EPOCH + 10)).toBe(false);
  expect(tally.record(0, 9, EPOCH + 11)).toBe(false);
  expect([tally.has(0, 9), tally.has(1, 9), tally.has(0, 8)]).toEqual([true, false, false]);
  expect(tally.isComplete(9)).toBe(false);
  expect(tally.record(1, 9, EPOCH + 14)).toBe(true);
  expect(tally.isComplete(9)).toBe(true);
  expect(tally.memory.lastAt[9]).toBe(14);
  expect([tally.memory.received[9], tally.memory.duplicates[9]]).toEqual([2, 1]);
  tally.record(0, 20, EPOCH);
  tally.record(0, -1, EPOCH);
  expect(tally.memory.foreign[0]).toBe(2);
});

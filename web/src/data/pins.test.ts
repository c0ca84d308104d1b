import type { Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import { pinsAfter } from "./pins.ts";

const pin = (id: string, pinnedAt?: string, rev = 1): Message =>
  ({ id, rev, deletedAt: null, ...(pinnedAt === undefined ? {} : { pinnedAt }) }) as Message;
const ids = (pins: readonly Message[]): string[] => pins.map(({ id }) => id);

test("pins are those that were pinned last first; what is unpinned or deleted goes, and old news changes nothing", () => {
  const pins = [pin("b", "2026-02-02"), pin("a", "2026-01-01", 5)];
  expect(ids(pinsAfter(pins, pin("c", "2026-03-03")))).toEqual(["c", "b", "a"]);
  expect(ids(pinsAfter(pins, pin("c", "2026-01-15")))).toEqual(["b", "c", "a"]);
  expect(ids(pinsAfter(pins, pin("b", undefined, 2)))).toEqual(["a"]);
  expect(ids(pinsAfter(pins, { ...pin("b", "2026-02-02", 2), deletedAt: "2026-04-04" }))).toEqual(["a"]);
  expect(ids(pinsAfter(pins, pin("a", undefined, 4)))).toEqual(["b", "a"]);
});

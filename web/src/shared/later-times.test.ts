import { expect, test } from "vitest";
import { localTime, LATER_TIMES } from "./later-times.ts";

function timesAfter(now: Date): string[] {
  return LATER_TIMES.map(({ after }) => localTime(after(now)));
}

test.each([
  // A Thursday.
  [
    new Date(2026, 10, 26, 23, 50),
    ["2026-11-27T00:10", "2026-11-27T00:50", "2026-11-27T02:50", "2026-11-27T09:00", "2026-11-30T09:00"],
  ],
  // A Monday, and a Sunday.
  [
    new Date(2026, 10, 30, 8, 0),
    ["2026-11-30T08:20", "2026-11-30T09:00", "2026-11-30T11:00", "2026-12-01T09:00", "2026-12-07T09:00"],
  ],
  [
    new Date(2026, 10, 29, 8, 0),
    ["2026-11-29T08:20", "2026-11-29T09:00", "2026-11-29T11:00", "2026-11-30T09:00", "2026-11-30T09:00"],
  ],
])("the times offered at %s", (now, times) => {
  expect(timesAfter(now)).toEqual(times);
});

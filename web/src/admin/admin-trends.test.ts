import type { DayStats } from "@fanfare/contract";
import { expect, test } from "vitest";
import { daysUntil, trendOf } from "./admin-trends.tsx";

const TODAY = Date.parse("2026-03-02T15:00:00Z");
const stats = (day: string, value: number | null): DayStats => ({
  day,
  messages: value,
  activeUsers: value,
  newUsers: value,
  fileBytes: value,
});

test("a period ends before today, also across months", () => {
  expect(daysUntil(TODAY, 3)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
});

test("counts are summed, active users averaged, and storage is the last value, each compared with the period before", () => {
  const days = [
    stats("2026-02-26", 10),
    stats("2026-02-27", 20),
    stats("2026-02-28", 20),
    stats("2026-03-01", 40),
    stats("2026-03-02", 1000),
  ];
  const messages = trendOf(days, "messages", TODAY, 2);
  expect(messages).toEqual({ before: [10, 20], now: [20, 40], value: 60, change: 1 });
  expect(trendOf(days, "newUsers", TODAY, 2)).toEqual(messages);
  expect(trendOf(days, "activeUsers", TODAY, 2)).toMatchObject({ value: 30, change: 1 });
  expect(trendOf(days, "fileBytes", TODAY, 2)).toMatchObject({ value: 40, change: 1 });
});

test("days that weren't counted are gaps, and a period that began before the counting isn't compared with", () => {
  const days = [stats("2026-02-27", 20), stats("2026-02-28", null), stats("2026-03-01", 40)];
  expect(trendOf(days, "activeUsers", TODAY, 2)).toEqual({
    before: [null, 20],
    now: [null, 40],
    value: 40,
    change: null,
  });
  expect(trendOf([stats("2026-02-26", 10), ...days], "messages", TODAY, 2).change).toBeNull();
  // Storage only needs its last value.
  expect(trendOf(days, "fileBytes", TODAY, 2)).toMatchObject({ value: 40, change: 1 });
  expect(trendOf([], "messages", TODAY, 2)).toMatchObject({ value: null, change: null });
  const fromNothing = ["2026-02-26", "2026-02-27", "2026-02-28", "2026-03-01"];
  expect(
    trendOf(
      fromNothing.map((day, index) => stats(day, index < 2 ? 0 : 5)),
      "messages",
      TODAY,
      2,
    ),
  ).toMatchObject({ value: 10, change: null });
});

import { expect, test } from "vitest";
import { parseReminder } from "./own-commands.ts";

const now = new Date(2026, 10, 26, 14, 30);

test.each([
  ["20m stretch", new Date(2026, 10, 26, 14, 50), "stretch"],
  ["1h30m call Ada\nabout the launch", new Date(2026, 10, 26, 16), "call Ada\nabout the launch"],
  ["2D renew", new Date(2026, 10, 28, 14, 30), "renew"],
  ["1w water the plants", new Date(2026, 11, 3, 14, 30), "water the plants"],
  ["15:00 tea", new Date(2026, 10, 26, 15), "tea"],
  ["9:00 20m run", new Date(2026, 10, 27, 9), "20m run"],
  ["2026-12-01 9:30 renew", new Date(2026, 11, 1, 9, 30), "renew"],
  ["2026-12-01 renew", new Date(2026, 11, 1, 9), "renew"],
])("%s", (written, time, text) => {
  expect(parseReminder(written, now)).toEqual({ time, text });
});

test.each([
  "",
  "stretch",
  "20m",
  "20 stretch",
  "0m stretch",
  "25:00 tea",
  "9:60 tea",
  "2026-11-26 14:30 too late",
  "2026-02-30 9:00 no such day",
  "2026-12-01",
  "9:00",
])("has no time and text: %j", (written) => {
  expect(parseReminder(written, now)).toBeNull();
});

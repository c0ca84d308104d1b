import { expect, test } from "vitest";
import { durationMs } from "./durations.ts";

const HOUR = 3_600_000;

test.each([
  ["500ms", 500],
  ["90s", 90_000],
  ["2.5", 2500],
  ["30m", HOUR / 2],
  ["1h", HOUR],
])("%s", (text, value) => {
  expect(durationMs("hold", text, HOUR)).toBe(value);
});

test.each(["", "soon", "1d", "-5s", "61m"])("rejects %s", (text) => {
  expect(() => durationMs("hold", text, HOUR)).toThrow("--hold must be a time such as");
});

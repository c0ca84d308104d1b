import { expect, test } from "vitest";
import { formatsOf } from "./formats.ts";

test("numbers use a useful precision", () => {
  const { milliseconds, number } = formatsOf("en");
  expect([0.034, 3.44, 34.4, 3440, 34_400].map(milliseconds)).toEqual([
    "0.034 ms",
    "3.4 ms",
    "34 ms",
    "3,440 ms",
    "34.4 sec",
  ]);
  expect([0, 12.34, 12_345].map(number)).toEqual(["0", "12.3", "12.3K"]);
});

test("sizes use a suitable unit and at most one decimal", () => {
  const { bytes } = formatsOf("en");
  expect([0, 999, 1300, 77_000, 999_700, 25_400_000, 2_345_000_000, 3e12].map(bytes)).toEqual([
    "0 bytes",
    "999 bytes",
    "1.3 kB",
    "77 kB",
    "1 MB",
    "25 MB",
    "2.3 GB",
    "3,000 GB",
  ]);
});

test("a duration has its two largest units", () => {
  const minutes = 60_000;
  expect(formatsOf("en").duration(3 * 1440 * minutes + 4 * 60 * minutes + 5 * minutes)).toBe("3 days, 4 hr");
  expect(formatsOf("en").duration(120 * minutes)).toBe("2 hr");
  expect(formatsOf("en").duration(300)).toBe("0 sec");
  expect(formatsOf("zh").duration(61_000)).toBe("1分钟1秒");
});

test("a whole duration has one unit", () => {
  const hour = 3_600_000;
  expect([hour, 8 * hour, 72 * hour, 168 * hour, 90_000, 300_000].map(formatsOf("en").wholeDuration)).toEqual(
    ["1 hour", "8 hours", "3 days", "1 week", "90 seconds", "5 minutes"],
  );
  expect(formatsOf("de").wholeDuration(hour)).toBe("1 Stunde");
});

test("names are listed in the language", () => {
  const names = ["A", "B", "C"];
  expect(formatsOf("en").either(names)).toBe("A, B, or C");
  expect(formatsOf("de").either(names)).toBe("A, B oder C");
  expect(["en", "zh", "de", "ar"].map((language) => formatsOf(language).list(names))).toEqual([
    "A, B, C",
    "A、B、C",
    "A, B und C",
    "A وB وC",
  ]);
});

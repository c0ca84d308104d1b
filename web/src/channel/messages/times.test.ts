import i18next from "i18next";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dayAndTime, dayName, formatBytes, shortTime } from "./times.ts";

beforeAll(async () => {
  const day = { today: "Today", yesterday: "Yesterday" };
  await i18next.init({ lng: "en", resources: { en: { messages: { day } } } });
  vi.useFakeTimers({ now: new Date(2026, 2, 14, 9, 26), toFake: ["Date"] });
});
afterAll(() => vi.useRealTimers());

test("times name the day, the farther back the more exactly", () => {
  const at = (year: number, month: number, day: number) =>
    new Date(year, month - 1, day, 12, 49).toISOString();
  // A space of its own kind precedes AM and PM.
  const shown = (text: string) => text.replaceAll("\u{202F}", " ");
  expect(shown(shortTime(at(2026, 3, 14)))).toBe("12:49 PM");
  expect(
    [at(2026, 3, 14), at(2026, 3, 13), at(2026, 3, 8), at(2026, 3, 7), at(2025, 3, 14)].map((time) =>
      shown(dayAndTime(time)),
    ),
  ).toEqual([
    "Today 12:49 PM",
    "Yesterday 12:49 PM",
    "Sunday 12:49 PM",
    "Mar 7, 12:49 PM",
    "Mar 14, 2025, 12:49 PM",
  ]);
  expect([at(2026, 3, 13), at(2026, 3, 8), at(2025, 3, 14)].map(dayName)).toEqual([
    "Yesterday",
    "Sunday, March 8",
    "Friday, March 14, 2025",
  ]);
});

test("sizes use a suitable unit and at most one decimal", () => {
  expect(formatBytes(0, "en")).toBe("0 bytes");
  expect(formatBytes(999, "en")).toBe("999 bytes");
  expect(formatBytes(1300, "en")).toBe("1.3 kB");
  expect(formatBytes(999_700, "en")).toBe("1 MB");
  expect(formatBytes(25_400_000, "en")).toBe("25 MB");
  expect(formatBytes(3e12, "en")).toBe("3,000 GB");
});

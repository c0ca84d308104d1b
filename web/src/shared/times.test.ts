import i18next from "i18next";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { clockTime, dayAndTime, dayName, formatTime, shortTime } from "./times.ts";

const at = (year: number, month: number, day: number) => new Date(year, month - 1, day, 14, 9).toISOString();
const TODAY = at(2026, 3, 14);
/** The farther back, the more exactly the day is named. */
const DAYS = [TODAY, at(2026, 3, 13), at(2026, 3, 8), at(2026, 3, 7), at(2025, 3, 14)];
const COMING = [at(2026, 3, 15), at(2026, 3, 20), at(2026, 3, 21)];

/** What users of a browser with this first language see. */
const BROWSERS = [
  {
    browser: "en-US",
    language: "en",
    times: ["2:09 PM", "2:09", "2:09:00", "Mar 14, 2026, 2:09 PM", "Saturday, March 14, 2026 at 2:09 PM"],
    daysAndTimes: [
      "Today 2:09 PM",
      "Yesterday 2:09 PM",
      "Sunday 2:09 PM",
      "Mar 7, 2:09 PM",
      "Mar 14, 2025, 2:09 PM",
    ],
    dayNames: ["Today", "Yesterday", "Sunday, March 8", "Saturday, March 7", "Friday, March 14, 2025"],
    coming: ["Tomorrow 2:09 PM", "Friday 2:09 PM", "Mar 21, 2:09 PM"],
  },
  {
    browser: "de",
    language: "en",
    times: ["14:09", "14:09", "14:09:00", "Mar 14, 2026, 14:09", "Saturday, March 14, 2026 at 14:09"],
    daysAndTimes: ["Today 14:09", "Yesterday 14:09", "Sunday 14:09", "Mar 7, 14:09", "Mar 14, 2025, 14:09"],
    dayNames: ["Today", "Yesterday", "Sunday, March 8", "Saturday, March 7", "Friday, March 14, 2025"],
    coming: ["Tomorrow 14:09", "Friday 14:09", "Mar 21, 14:09"],
  },
  {
    browser: "zh-CN",
    language: "zh",
    times: ["14:09", "14:09", "14:09:00", "2026年3月14日 14:09", "2026年3月14日星期六 14:09"],
    daysAndTimes: ["今天 14:09", "昨天 14:09", "星期日 14:09", "3月7日 14:09", "2025年3月14日 14:09"],
    dayNames: ["今天", "昨天", "3月8日星期日", "3月7日星期六", "2025年3月14日星期五"],
    coming: ["明天 14:09", "星期五 14:09", "3月21日 14:09"],
  },
];

/** WebKit on a system without a language. */
const UNKNOWN = { ...BROWSERS[0]!, browser: "C" };

describe.each([...BROWSERS, UNKNOWN])(
  "in a browser in $browser",
  ({ browser, language, times, daysAndTimes, dayNames, coming }) => {
    beforeAll(async () => {
      const en = {
        messages: { "day.today": "Today", "day.yesterday": "Yesterday" },
        shared: { "later.tomorrow": "Tomorrow" },
      };
      const zh = {
        messages: { "day.today": "今天", "day.yesterday": "昨天" },
        shared: { "later.tomorrow": "明天" },
      };
      await i18next.init({ lng: language, keySeparator: false, resources: { en, zh } });
      vi.stubGlobal("navigator", { languages: [browser] });
      vi.useFakeTimers({ now: new Date(2026, 2, 14, 15, 26), toFake: ["Date"] });
    });
    afterAll(async () => {
      vi.useRealTimers();
      vi.unstubAllGlobals();
      // Other test files share it.
      await i18next.changeLanguage("en");
    });

    // A space of its own kind precedes AM and PM.
    const shown = (text: string) => text.replaceAll("\u{202F}", " ");

    test("times have 12 or 24 hours", () => {
      const { seconds, dateTime, full } = {
        seconds: clockTime(Date.parse(TODAY), "seconds"),
        dateTime: formatTime(TODAY, "dateTime"),
        full: formatTime(TODAY, "full"),
      };
      expect([shortTime(TODAY), clockTime(TODAY), seconds, dateTime, full].map(shown)).toEqual(times);
    });

    test("days are named, the farther back the more exactly", () => {
      expect(DAYS.map(dayAndTime).map(shown)).toEqual(daysAndTimes);
      expect(DAYS.map(dayName)).toEqual(dayNames);
      expect(COMING.map(dayAndTime).map(shown)).toEqual(coming);
    });
  },
);

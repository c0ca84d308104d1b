import { describe, expect, test } from "vitest";
import { chooseLanguage, directionOf, LANGUAGES, localeOf } from "./language.ts";

describe("chooseLanguage", () => {
  test("uses the chosen language, or the first supported one of the browser", () => {
    expect(chooseLanguage("zh", ["en-US"])).toBe("zh");
    expect(chooseLanguage("system", ["tlh", "zh-Hant-TW", "en"])).toBe("zh");
    expect(chooseLanguage(undefined, ["en-GB", "zh"])).toBe("en");
  });

  test("falls back to English", () => {
    expect(chooseLanguage("tlh", ["xx", "yy"])).toBe("en");
    expect(chooseLanguage(null, [])).toBe("en");
  });
});

test("dates follow the browser's variant of the language", () => {
  const variant = (language: string, offered: string[]) =>
    new Intl.Locale(localeOf(language, offered)).baseName;
  expect(variant("en", ["de-DE", "en-GB", "en"])).toBe("en-GB");
  expect(variant("en", ["de-DE"])).toBe("en");
  expect(variant("zh", ["en-US"])).toBe("zh-CN");
});

test.each(["ar-EG", "ar-SA", "ar-u-nu-arab", "fa-IR"])(
  "numbers and dates in %s have the digits 0 to 9",
  (tag) => {
    const locale = localeOf(tag.slice(0, 2), [tag]);
    expect(new Intl.NumberFormat(locale).format(1290)).toMatch(/^1.?290$/);
    expect(new Intl.DateTimeFormat(locale, { day: "numeric" }).format(new Date(2026, 2, 14))).toMatch(
      /^\d+$/,
    );
  },
);

test.each([...LANGUAGES, "fa", "he", "ur", "ug", "nl", "ru"])(
  "%s has the direction that Intl knows",
  (language) => {
    const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo: () => { direction: string } };
    expect(directionOf(language)).toBe(locale.getTextInfo().direction);
  },
);

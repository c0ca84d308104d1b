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
  expect(localeOf("en", ["de-DE", "en-GB", "en"])).toBe("en-GB");
  expect(localeOf("en", ["de-DE"])).toBe("en");
  expect(localeOf("zh", ["en-US"])).toBe("zh-CN");
});

test.each([...LANGUAGES, "fa", "he", "ur", "ug", "nl", "ru"])(
  "%s has the direction that Intl knows",
  (language) => {
    const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo: () => { direction: string } };
    expect(directionOf(language)).toBe(locale.getTextInfo().direction);
  },
);

import { describe, expect, test } from "vitest";
import { chooseLanguage } from "./language.ts";

describe("chooseLanguage", () => {
  test("uses the chosen language, or the first supported one of the browser", () => {
    expect(chooseLanguage("zh", ["en-US"])).toBe("zh");
    expect(chooseLanguage("system", ["fr", "zh-Hant-TW", "en"])).toBe("zh");
    expect(chooseLanguage(undefined, ["en-GB", "zh"])).toBe("en");
  });

  test("falls back to English", () => {
    expect(chooseLanguage("tlh", ["fr", "de"])).toBe("en");
    expect(chooseLanguage(null, [])).toBe("en");
  });
});

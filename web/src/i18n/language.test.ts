import { describe, expect, test } from "vitest";
import { chooseLanguage } from "./language.ts";

describe("chooseLanguage", () => {
  test("takes what was chosen, else the first language of the browser that there is", () => {
    expect(chooseLanguage("zh", ["en-US"])).toBe("zh");
    expect(chooseLanguage("system", ["fr", "zh-Hant-TW", "en"])).toBe("zh");
    expect(chooseLanguage(undefined, ["en-GB", "zh"])).toBe("en");
  });

  test("falls back to English", () => {
    expect(chooseLanguage("tlh", ["fr", "de"])).toBe("en");
    expect(chooseLanguage(null, [])).toBe("en");
  });
});

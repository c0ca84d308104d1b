import { describe, expect, test } from "vitest";
import { groupName, messageContent, nickname, nonce } from "./entities.ts";

const LONE_SURROGATES = ["\ud800", "a\udfff", "\udc00\ud800", "👍".slice(0, 1)];

describe("names", () => {
  test.each(["Ada", "  Ada  ", "👩‍👩‍👧", "می‌خواهم", "עברית and English", "é", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"])("%j is one", (name) => {
    expect(nickname.parse(name)).toBe(name.trim());
  });

  test.each([
    ["nothing to see", "\u200b"],
    ["a Hangul filler", "\u3164"],
    ["tags alone", "\u{e0041}"],
    ["a line break", "a\nb"],
    ["a line separator", "a\u2028b"],
    ["NUL", "a\0b"],
    ["an override of the direction", "\u202egnp.exe"],
    ["an isolate", "\u2067a"],
    ...LONE_SURROGATES.map((text): [string, string] => ["half a character", text]),
  ])("%s is none", (_what, name) => {
    expect(nickname.safeParse(name).success).toBe(false);
    expect(groupName.safeParse(name).success).toBe(false);
  });
});

describe("messages", () => {
  test("keep line breaks, directions and spaces", () => {
    const content = " a\n\tb \u202bעברית\u202c ";
    expect(messageContent.parse(content)).toBe(content);
  });

  test("must show something", () => {
    for (const content of ["", " \n", "\u200b\u200d", "\ufeff\u3164"])
      expect(messageContent.safeParse(content).success).toBe(false);
  });

  test("and their nonces have no halves of characters, which would be stored as others", () => {
    for (const text of LONE_SURROGATES) {
      expect(messageContent.safeParse(text).success).toBe(false);
      expect(nonce.safeParse(text).success).toBe(false);
    }
  });
});

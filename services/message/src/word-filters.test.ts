import { LIMITS } from "@fanfare/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compileWords, maskHits } from "./word-filters.ts";

const mask = (words: string[], text: string): string => maskHits(text, compileWords(words)(text));

test.each([
  ["whole words", ["bad"], "bad, so BAD! badly not, nor abad", "•••, so •••! badly not, nor abad"],
  ["at both ends", ["bad"], "bad", "•••"],
  ["compatibility forms and width", ["bad"], "ｂａｄ 𝐛𝐚𝐝", "••• •••"],
  ["composed and decomposed characters", ["müll"], "mu\u0308ll MÜLL mull", "•••• •••• mull"],
  ["characters with two uppercase letters", ["straße"], "STRASSE Straße", "••••••• ••••••"],
  ["invisible characters", ["bad"], "b\u200Ba\u00ADd", "•••"],
  ["phrases across spaces and lines", ["very bad"], "very \n bad, very", "•••• \n •••, very"],
  ["scripts without spaces, inside words", ["坏话"], "他说坏话了", "他说••了"],
  ["symbols", ["💩"], "so💩much", "so•much"],
  ["regular expressions are matched as text", ["a.*b"], "a.*b axxb", "•••• axxb"],
  ["doesn't match inside a name with underscores", ["bad"], "not_bad", "not_bad"],
])("%s", (_name, words, text, expected) => {
  expect(mask(words, text)).toBe(expected);
});

test("handles any text: masked text has no further hits, and text without the word is unchanged", () => {
  const words = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(words, fc.string({ unit: "grapheme", maxLength: 60 }), (list, text) => {
      const hits = compileWords(list)(text);
      for (const { from, to } of hits) expect(from).toBeLessThan(to);
      expect(hits.length === 0 ? maskHits(text, hits) : text).toBe(text);
    }),
  );
});

test("the longest text with the longest list takes no noticeable time", () => {
  const find = compileWords(Array.from({ length: 200 }, (_, n) => "a".repeat(10 + (n % 40))));
  expect(find("a".repeat(LIMITS.messageMaxChars))).toEqual([]);
});

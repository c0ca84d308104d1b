import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TOKENS_PER_MESSAGE } from "./bounds.ts";
import { queryTokens, textTokens } from "./tokenize.ts";

test.each([
  ["Hello, WORLD! hello", ["hello", "world"]],
  ["ﬁne Ｆｕｌｌ", ["fine", "full"]],
  ["Straße 42 naïve", ["straße", "42", "naïve"]],
  ["中文字", ["中", "文", "字", "中文", "文字"]],
  ["Node版本26", ["node", "版", "本", "版本", "26"]],
  ["привет-мир", ["привет", "мир"]],
  ["!?", []],
])("%j is found by %j", (text, tokens) => {
  expect(textTokens(text)).toEqual(tokens);
});

test.each([
  ["a longer word", ["longer", "word", "a"]],
  ["中", ["中"]],
  ["中文字", ["中文", "文字"]],
])("to search for %j is to look for %j", (text, tokens) => {
  expect(queryTokens(text)).toEqual(tokens);
});

test("whatever a text is, each of its words finds it, and its tokens are bounded", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { maxLength: 10 }), (words) => {
      const tokens = textTokens(words.join(" "));
      for (const word of words) for (const token of queryTokens(word)) expect(tokens).toContain(token);
      // What has a colon is a trait: no text can ask for one.
      expect(tokens.every((token) => token !== "" && !token.includes(":"))).toBe(true);
    }),
  );
  const many = Array.from({ length: 4000 }, (_, i) => `w${i}`).join(" ");
  expect(textTokens(many)).toHaveLength(TOKENS_PER_MESSAGE);
});

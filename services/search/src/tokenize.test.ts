import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "@fanfare/contract";
import { TOKENS_PER_MESSAGE } from "./constants.ts";
import { matches, queryWords, type SearchWord, textTokens, messageTokens } from "./tokenize.ts";

test.each([
  ["Hello, WORLD! hello", ["hello", "world"]],
  ["ﬁne Ｆｕｌｌ", ["fine", "full"]],
  ["Straße 42 naïve", ["straße", "42", "naïve"]],
  ["中文字", ["中", "文", "字", "中文", "文字"]],
  ["Node版本26", ["node", "版", "本", "版本", "26"]],
  ["привет-мир", ["привет", "мир"]],
  ["!?", []],
])("%j has the tokens %j", (text, tokens) => {
  expect(textTokens(text)).toEqual(tokens);
});

test.each([
  ["builds building build", ["builds", "~build", "building", "build"]],
  ["as this was Über naïve", ["as", "this", "~thi", "was", "~wa", "über", "naïve"]],
])("%j also has English stems: %j", (text, tokens) => {
  expect(textTokens(text)).toEqual(tokens);
});

test.each<[string, SearchWord[]]>([
  ["a longer", [{ tokens: ["~longer"], prefix: "longer" }, { tokens: ["a"] }]],
  ["builds", [{ tokens: ["build", "~build"], prefix: "builds" }]],
  ["“builds”", [{ tokens: ["builds"] }]],
  ["the", [{ tokens: ["the", "~the"] }]],
  ["학교", [{ tokens: [], prefix: "학교" }]],
  ["中", [{ tokens: ["中"] }]],
  ["中文字", [{ tokens: ["中文"] }, { tokens: ["文字"] }]],
])("a search for %j looks up %j", (text, words) => {
  expect(queryWords(text)).toEqual(words);
});

test("every word of any text finds it, and the number of tokens is bounded", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { maxLength: 10 }), (words) => {
      const tokens = textTokens(words.join(" "));
      for (const word of words)
        for (const wanted of [...queryWords(word), ...queryWords(`"${word}"`)])
          expect(matches(wanted, tokens)).toBe(true);
      // Tokens with a colon are traits, which no text can produce. The embedded index accepts no other ASCII signs.
      expect(tokens.every((token) => /^[^\0-/:-@[-`{-}\x7f]+$/.test(token))).toBe(true);
    }),
  );
  const many = Array.from({ length: 4000 }, (_, i) => `w${i}`).join(" ");
  expect(textTokens(many)).toHaveLength(TOKENS_PER_MESSAGE);
});

test.each<[Partial<Message>, boolean]>([
  [{ content: "see https://example.org" }, true],
  [{ content: "no link" }, false],
  [{ content: "", cards: [{ text: "see https://example.org" }] }, true],
  [{ content: "", cards: [{ title: "x", url: "https://example.org/" }] }, true],
  [{ content: "x", controls: [{ kind: "link", label: "Open", url: "https://example.org/" }] }, true],
])("whether %j has a link: %s", (message, expected) => {
  expect(messageTokens(message as Message, false).includes(":has:link")).toBe(expected);
});

import { expect, test } from "vitest";
import { matchWords } from "./match-words.ts";

const found = (text: string, words: string) =>
  matchWords(text, words).map(([from, to]) => text.slice(from, to));

test("whole words, in any case and order", () => {
  expect(found("Rocket rockets, the LAUNCH of a rocket", "launch rocket")).toEqual([
    "Rocket",
    "LAUNCH",
    "rocket",
  ]);
});

test("Chinese also in parts of a text", () => {
  expect(found("明天发射火箭吗", "火箭 明天")).toEqual(["明天", "火箭"]);
});

test("signs are no words", () => {
  expect(found("a.c abc (a)", "(a) .*")).toEqual(["a", "a"]);
  expect(found("anything", "…")).toEqual([]);
});

import { expect, test } from "vitest";
import { matchWords } from "./highlights.ts";

const found = (text: string, words: string) =>
  matchWords(text, words).map(([from, to]) => text.slice(from, to));

test("matches whole words in any case and order, including inflections", () => {
  const text = "Rocket rockets, the LAUNCH of a skyrocket, launching";
  expect(found(text, "launch rocket")).toEqual(["Rocket", "rockets", "LAUNCH", "launching"]);
  expect(found(text, "rock launches")).toEqual(["Rocket", "rockets", "LAUNCH", "launching"]);
  expect(found(text, 'roc "launch"')).toEqual(["LAUNCH"]);
});

test("matches parts of Chinese texts", () => {
  expect(found("明天发射火箭吗", "火箭 明天")).toEqual(["明天", "火箭"]);
});

test("ignores punctuation", () => {
  expect(found("a.c abc (a)", "(a) .*")).toEqual(["a", "a"]);
  expect(found("anything", "…")).toEqual([]);
});

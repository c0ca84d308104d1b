import { expect, test } from "vitest";
import { LANGUAGES } from "../../src/i18n/language.ts";
import texts from "./texts.json";

const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\{\w+\}\}/g)].map(([each]) => each).sort();

test("the apps have the languages of the page", () => {
  expect(Object.keys(texts).sort()).toEqual(LANGUAGES);
});

test.each(Object.entries(texts))("the texts in %s are complete", (_language, own) => {
  expect(Object.keys(own)).toEqual(Object.keys(texts.en));
  const empty = Object.entries(own).filter(([, text]) => text.trim() === "");
  expect(empty).toEqual([]);
  expect(Object.values(own).map(placeholders)).toEqual(Object.values(texts.en).map(placeholders));
});

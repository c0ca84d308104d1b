import { expect, test } from "vitest";
import { MAX_SUGGESTIONS, rankByName, replacement } from "./suggestions.ts";

const names = (all: string[], query: string) => rankByName(all, query, (name) => [name]);

test("what fits best comes first", () => {
  expect(names(["Joanna", "Mary Ann", "Ann", "Anna", "Bob"], "ann")).toEqual([
    "Ann",
    "Anna",
    "Mary Ann",
    "Joanna",
  ]);
  expect(names(["小明", "大明", "小"], "小")).toEqual(["小", "小明"]);
});

test("without a query the first ones, and never more than fit", () => {
  const many = Array.from({ length: 50 }, (_, index) => `user ${index}`);
  expect(names(many, "")).toEqual(many.slice(0, MAX_SUGGESTIONS));
});

test("a name takes the place of what was written, with one space behind it", () => {
  const trigger = { kind: "mention", start: 3, query: "ad" } as const;
  expect(replacement("hi @ad", 6, trigger, "@Ada")).toEqual({
    from: 3,
    to: 6,
    insert: "@Ada ",
    selectFrom: 8,
    selectTo: 8,
  });
  expect(replacement("hi @ad there", 6, trigger, "@Ada").insert).toBe("@Ada");
});

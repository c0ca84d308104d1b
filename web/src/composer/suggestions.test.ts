import { describe, expect, test } from "vitest";
import { MAX_SUGGESTIONS, findShortcode, findTrigger, rankByName, replacement } from "./suggestions.ts";

const names = (all: string[], query: string) => rankByName(all, query, (name) => [name]);

test("the best match comes first", () => {
  expect(names(["Joanna", "Mary Ann", "Ann", "Anna", "Bob"], "ann")).toEqual([
    "Ann",
    "Anna",
    "Mary Ann",
    "Joanna",
  ]);
  expect(names(["小明", "大明", "小"], "小")).toEqual(["小", "小明"]);
});

test("without a query, returns the first ones up to the limit", () => {
  const many = Array.from({ length: 50 }, (_, index) => `user ${index}`);
  expect(names(many, "")).toEqual(many.slice(0, MAX_SUGGESTIONS));
});

test("replaces the trigger with the name and one space", () => {
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

describe("findTrigger", () => {
  test.each([
    ["hi @ad", { kind: "mention", start: 3, query: "ad" }],
    ["/template my sta", { kind: "template", start: 0, query: "my sta" }],
    ["/template", { kind: "command", start: 0, query: "template" }],
    ["@", { kind: "mention", start: 0, query: "" }],
    ["@Ada Lo", { kind: "mention", start: 0, query: "Ada Lo" }],
    ["你好@小", { kind: "mention", start: 2, query: "小" }],
    ["(#gen", { kind: "channel", start: 1, query: "gen" }],
    ["so :smi", { kind: "emoji", start: 3, query: "smi" }],
    ["/poll", { kind: "command", start: 0, query: "poll" }],
    ["/", { kind: "command", start: 0, query: "" }],
  ])("%s", (text, trigger) => {
    expect(findTrigger(text, text.length)).toEqual(trigger);
  });

  test.each([
    "mail@ad",
    "10:30",
    ":)",
    ":D",
    "http://x",
    "a/b",
    "hi /poll",
    "/poll now",
    "@ ",
    "@a b c d",
    "# title",
    "`@a",
    "\\@a",
    "@a\nb",
    "x",
  ])("no trigger in %s", (text) => {
    expect(findTrigger(text, text.length)).toBeNull();
  });

  test("only looks at the text before the caret", () => {
    expect(findTrigger("@ada and more", 3)).toEqual({ kind: "mention", start: 0, query: "ad" });
    expect(findShortcode("so :tada:!", 9)).toEqual({ start: 3, name: "tada" });
    expect(findShortcode("10:30:", 6)).toBeNull();
    expect(findShortcode("::tada:", 7)).toBeNull();
  });
});

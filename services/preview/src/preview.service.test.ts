import { LIMITS } from "@fanfare/contract";
import { expect, test } from "vitest";
import { findLinks } from "./preview.service.ts";

test.each([
  ["see https://example.com/a.", ["https://example.com/a"]],
  [
    "(https://example.com/a_(b)) and https://example.com",
    ["https://example.com/a_(b)", "https://example.com/"],
  ],
  ["[text](https://example.com/x)", ["https://example.com/x"]],
  ["<https://example.com/hidden> https://example.com/shown", ["https://example.com/shown"]],
  ["`https://example.com/code` ```\nhttps://example.com/block\n``` no", []],
  ["https://a.example https://a.example", ["https://a.example/"]],
  ["ftp://example.com mailto:a@example.com javascript:alert(1)", []],
  ["https:// nothing", []],
  ["", []],
])("%s", (content, links) => expect(findLinks(content)).toEqual(links));

test("returns only the first three links", () => {
  expect(findLinks([1, 2, 3, 4].map((n) => `https://example.com/${n}`).join(" "))).toHaveLength(3);
});

test("handles a text of unterminated tokens in linear time", () => {
  expect(findLinks("https://(".repeat(440))).toEqual([]);
  expect(findLinks("`".repeat(LIMITS.messageMaxChars - 3) + "://")).toEqual([]);
});

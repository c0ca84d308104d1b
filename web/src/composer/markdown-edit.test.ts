import { describe, expect, test } from "vitest";
import { EDITS, isInOpenFence, makeLink, type TextEdit, toggleCode, toggleMark } from "./markdown-edit.ts";

/** `[` and `]` mark the selection. */
function apply(marked: string, edit: (text: string, from: number, to: number) => TextEdit): string {
  const from = marked.indexOf("‹");
  const to = marked.indexOf("›") - 1;
  const text = marked.replace(/[‹›]/g, "");
  const { from: start, to: end, insert, selectFrom, selectTo } = edit(text, from, to);
  const after = text.slice(0, start) + insert + text.slice(end);
  return `${after.slice(0, selectFrom)}‹${after.slice(selectFrom, selectTo)}›${after.slice(selectTo)}`;
}

const bold = (text: string, from: number, to: number) => toggleMark(text, from, to, "**");
const italic = (text: string, from: number, to: number) => toggleMark(text, from, to, "*");

describe("formatting keys", () => {
  test.each([
    ["a ‹word› b", "a **‹word›** b"],
    ["a **‹word›** b", "a ‹word› b"],
    ["a ‹**word**› b", "a ‹word› b"],
    ["a ‹word ›b", "a **‹word›** b"],
    ["‹›", "**‹›**"],
  ])("bold: %s", (before, after) => expect(apply(before, bold)).toBe(after));

  test.each([
    ["‹word›", "*‹word›*"],
    ["*‹word›*", "‹word›"],
    ["**‹word›**", "***‹word›***"],
    ["***‹word›***", "**‹word›**"],
  ])("italic: %s", (before, after) => expect(apply(before, italic)).toBe(after));

  test("code: a span for one line, a block for several", () => {
    expect(apply("run ‹npm› now", toggleCode)).toBe("run `‹npm›` now");
    expect(apply("see ‹a\nb› end", toggleCode)).toBe("see \n```\n‹a\nb›\n```\n end");
  });

  test("links: the selection becomes the text or the address", () => {
    expect(apply("the ‹docs› here", makeLink)).toBe("the [docs](‹›) here");
    expect(apply("‹https://x.example/a›", makeLink)).toBe("[‹›](https://x.example/a)");
    expect(apply("the ‹docs›", (...at) => makeLink(...at, "https://x.example"))).toBe(
      "the [docs](https://x.example)‹›",
    );
  });

  test("link without a selection: its text comes first", () => {
    expect(apply("a ‹›", makeLink)).toBe("a [‹›]()");
  });

  test.each([
    ["quote", "a\n‹b›\nc", "a\n‹> b›\nc"],
    ["quote", "‹> a\n> b›", "‹a\nb›"],
    ["quote", "‹›", "> ‹›"],
    ["quote", "\n‹›", "\n> ‹›"],
    ["bulletedList", "one\nt‹›wo", "one\n- t‹›wo"],
    ["bulletedList", "- t‹›wo", "t‹›wo"],
    ["bulletedList", "‹one\ntwo\n›three", "‹- one\n- two›\nthree"],
    ["numberedList", "‹one\ntwo›", "‹1. one\n2. two›"],
    ["numberedList", "‹1. one\n2. two›", "‹one\ntwo›"],
    ["codeBlock", "a ‹b›", "a \n```\n‹b›\n```"],
    ["strikethrough", "‹a›", "~~‹a›~~"],
    ["spoiler", "||‹a›||", "‹a›"],
  ] as const)("%s: %j", (name, before, after) => expect(apply(before, EDITS[name])).toBe(after));

  test("Enter starts a new line in an unclosed code block", () => {
    expect(isInOpenFence("```ts\nlet a", 11)).toBe(true);
    expect(isInOpenFence("```ts\nlet a\n```", 15)).toBe(false);
    expect(isInOpenFence("```ts\nlet a\n```", 8)).toBe(true);
    expect(isInOpenFence("text", 4)).toBe(false);
  });
});

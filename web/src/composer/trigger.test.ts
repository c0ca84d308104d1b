import { describe, expect, test } from "vitest";
import { closedEmoji, findTrigger } from "./suggestions.ts";

describe("what is being written", () => {
  test.each([
    ["hi @ad", { kind: "mention", start: 3, query: "ad" }],
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
  ])("nothing in %s", (text) => {
    expect(findTrigger(text, text.length)).toBeNull();
  });

  test("only what is before the caret counts", () => {
    expect(findTrigger("@ada and more", 3)).toEqual({ kind: "mention", start: 0, query: "ad" });
    expect(closedEmoji("so :tada:!", 9)).toEqual({ start: 3, name: "tada" });
    expect(closedEmoji("10:30:", 6)).toBeNull();
    expect(closedEmoji("::tada:", 7)).toBeNull();
  });
});

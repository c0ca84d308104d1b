import { LIMITS } from "@fanfare/contract/limits";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FormatRange, LiveFormatter } from "./live-format.ts";

/** Each piece with its formats, such as `mark:**`, without pieces that have none. */
function formatted(text: string, names: readonly string[] = []): string[] {
  const mentions = names.map((name): FormatRange => {
    const from = text.indexOf(name);
    return { format: "mention", from, to: from + name.length };
  });
  const pieces = new LiveFormatter().format(text, mentions).flat();
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  return pieces.flatMap(({ text, formats }) => {
    const names = formats.toSorted(
      (a, b) => Number(a === "mark") - Number(b === "mark") || a.localeCompare(b),
    );
    return names.length === 0 ? [] : [`${names.join("+")}:${text}`];
  });
}

describe("live formatting", () => {
  test.each([
    ["a **b** c", ["mark:**", "strong:b", "mark:**"]],
    ["*a* _b_", ["mark:*", "em:a", "mark:*", "mark:_", "em:b", "mark:_"]],
    ["***a***", ["mark:*", "em+mark:**", "em+strong:a", "em+mark:**", "mark:*"]],
    ["~~a~~", ["mark:~~", "del:a", "mark:~~"]],
    ["||a *b*||", ["mark:||", "spoiler:a ", "spoiler+mark:*", "em+spoiler:b", "spoiler+mark:*", "mark:||"]],
    ["`a *b*`", ["code+mark:`", "code:a *b*", "code+mark:`"]],
    ["`` a`b ``", ["code+mark:``", "code: a`b ", "code+mark:``"]],
    ["# A *b*", ["mark:#", "strong: A ", "strong+mark:*", "em+strong:b", "strong+mark:*"]],
    [
      "```ts\nlet *a*\n```\n*b*",
      ["code+mark:```ts", "code:\nlet *a*\n", "code+mark:```", "mark:*", "em:b", "mark:*"],
    ],
    ["```\nlet a", ["code+mark:```", "code:\nlet a"]],
    [
      "[a *b*](https://a.example) https://b.example.",
      [
        "mark:[",
        "link:a ",
        "link+mark:*",
        "em+link:b",
        "link+mark:*",
        "mark:](https://a.example)",
        "link:https://b.example",
      ],
    ],
    ["a @everyone a@here", ["mention:@everyone"]],
    ["\\*a\\*", ["mark:\\", "mark:\\"]],
  ])("%j", (text, pieces) => expect(formatted(text)).toEqual(pieces));

  test.each([
    "plain",
    "**a",
    "a * b * c",
    "snake_case_name",
    "`a",
    "||a",
    "[a](",
    "[a]()",
    "[a](javascript:b)",
    "2 > 1 | # no",
  ])("%j has none", (text) => expect(formatted(text)).toEqual([]));

  test("in quotes and lists, which the parser sees without their marks", () => {
    expect(formatted("> a **b\n> c** d\n\n*e*")).toEqual([
      "quote+mark:>",
      "quote: a ",
      "quote+mark:**",
      "quote+strong:b\n",
      "quote+strong+mark:>",
      "quote+strong: c",
      "quote+mark:**",
      "quote: d",
      "mark:*",
      "em:e",
      "mark:*",
    ]);
    expect(formatted("* *a*\n  * b `c`\n1. 1 **d**")).toEqual([
      "mark:*",
      "em:a",
      "mark:*",
      "code+mark:`",
      "code:c",
      "code+mark:`",
      "mark:**",
      "strong:d",
      "mark:**",
    ]);
    expect(formatted("|a|*b*|\n|-|-|\n|`c`|d|")).toEqual([
      "mark:*",
      "em:b",
      "mark:*",
      "code+mark:`",
      "code:c",
      "code+mark:`",
    ]);
  });

  test("in Chinese, with emoji and in text from right to left", () => {
    expect(formatted("你好 **世界** 👩🏽‍🚀 *👍* x")).toEqual([
      "mark:**",
      "strong:世界",
      "mark:**",
      "mark:*",
      "em:👍",
      "mark:*",
    ]);
    expect(formatted("看https://example.org，很好")).toEqual(["link:https://example.org"]);
    expect(formatted("שלום **עולם**")).toEqual(["mark:**", "strong:עולם", "mark:**"]);
  });

  test("names are mentions, whatever they contain", () => {
    expect(formatted("hi @a*b*c and *d*", ["@a*b*c"])).toEqual([
      "mention:@a*b*c",
      "mark:*",
      "em:d",
      "mark:*",
    ]);
    expect(formatted("**@小明**", ["@小明"])).toEqual(["mark:**", "mention+strong:@小明", "mark:**"]);
  });

  test("a long text is parsed in parts, of which only the changed one is new", () => {
    const formatter = new LiveFormatter();
    const fence = "```\n\n*code*\n\n```\n";
    const text = `**a**\n\n${fence}${"b *c*\n".repeat(400)}`;
    const before = formatter.format(text, []);
    const after = formatter.format(`${text}d`, []);
    expect(after.filter((part) => !before.includes(part))).toHaveLength(1);
    expect(
      after
        .flat()
        .map((piece) => piece.text)
        .join(""),
    ).toBe(`${text}d`);
    expect(before[1]).toContainEqual({ text: "\n\n*code*\n\n", formats: ["code"] });
    expect(new LiveFormatter().format("**a** ".repeat(LIMITS.messageMaxChars), []).flat()).toHaveLength(1);
  });

  test("all text is shown, whatever is typed", () => {
    const signs = [
      "*",
      "**",
      "_",
      "`",
      "```\n",
      "||",
      "~~",
      "> ",
      "- ",
      "1. ",
      "# ",
      "[",
      "](https://a.example)",
    ];
    const texts = ["\n", " ", "a", "😀", "好"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs, ...texts), { maxLength: 16 }), (parts) => {
        const text = parts.join("");
        const pieces = new LiveFormatter().format(text, []).flat();
        expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      }),
    );
  });
});

import { createRequire } from "node:module";
import type { Emoji } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type ReactNode, createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { highlight } from "./highlighter.ts";
import { lex, plainText, type Tokens } from "./lex.ts";
import { Markdown, MarkdownContext, type MentionProps } from "./markdown.tsx";

const ID = "5f0000000000000000000001";
const chip = (sign: string) =>
  function Chip({ id, plain }: MentionProps): ReactNode {
    return createElement("i", null, `${sign}${id.slice(-2)}${plain ? " plain" : ""}`);
  };
const own = (name: string): [string, Emoji] => [
  name,
  { id: ID, groupId: ID, kind: "emoji", name, url: `/${name}.webp`, createdBy: ID, createdAt: "" },
];
const parts = {
  emoji: new Map([own("parrot"), own("_x_"), own("30")]),
  stickers: [],
  User: chip("@"),
  Role: chip("@&"),
  Channel: chip("#"),
  keywords: null,
  ownPath: (url: URL) => (url.host === "here.example" ? url.pathname : null),
  onFollow: () => undefined,
};

/** Of the package that the emoji picker is made of. */
const allEmoji = createRequire(import.meta.url)("emojibase-data/en/data.json") as {
  emoji: string;
  skins?: { emoji: string }[];
}[];

function render(content: string, keywords: RegExp | null = null): string {
  const element = createElement(Markdown, { content });
  const value = { ...parts, keywords };
  const markup = renderToStaticMarkup(createElement(MarkdownContext, { value }, element));
  return markup.replace(/^<div class="markdown" dir="auto">(.*)<\/div>$/s, "$1");
}

const isBig = (content: string): boolean => render(content).includes("markdown-big");

const link = (href: string, text = href): string =>
  `<a href="${href}" title="${decodeURI(href)}" dir="auto" target="_blank" rel="noopener noreferrer nofollow ugc">${text}</a>`;

test.each<[string, string[]]>([
  ["$$x^2$$", ["math"]],
  ["so $$x$$, $$y$$", ["text", "math", "text", "math"]],
  ["from $$ to $$$ or $$ more", ["text"]],
  ["$$ x $$", ["text"]],
  ["`$$x$$`", ["codespan"]],
  [`$$<@${ID}>$$`, ["text"]],
  ["$$@everyone$$", ["text"]],
])("formulas are between two dollar signs, without spaces and mentions: %s", (content, types) => {
  const paragraph = lex(content)[0] as Tokens.Paragraph;
  expect(paragraph.tokens.map(({ type }) => type)).toEqual(types);
});

describe("markdown", () => {
  test.each([
    ["**a** _b_ ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>"],
    ["a\nb\n\nc", "<p>a<br/>b</p><p>c</p>"],
    [
      "# A\n##### B",
      '<p class="markdown-heading" data-depth="1">A</p><p class="markdown-heading" data-depth="4">B</p>',
    ],
    ["a\n---", "<p>a</p><hr/>"],
    ["> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"],
    ["- a\n- [x] b", '<ul><li>a</li><li class="markdown-task">☑\uFE0E b</li></ul>'],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["<b>a</b> &amp; \\*b\\*", "<p>&lt;b&gt;a&lt;/b&gt; &amp;amp; *b*</p>"],
    ["    a", "<p>    a</p>"],
    ["[a]: https://a.example", `<p>[a]: ${link("https://a.example/", "https://a.example")}</p>`],
  ])("renders %j", (content, expected) => {
    expect(render(content)).toBe(expected);
  });

  test("highlights keywords in text, but not in code", () => {
    expect(render(`a **Launch**, launch \`launch\` <@${ID}>`, /launch/giu)).toBe(
      "<p>a <strong><mark>Launch</mark></strong>, <mark>launch</mark> <code>launch</code> <i>@01</i></p>",
    );
  });

  test("renders tables", () => {
    expect(render("|a|b|\n|-|:-:|\n|1|2|")).toContain('<td>1</td><td style="text-align:center">2</td>');
  });

  test("keeps spoilers out of the document until they are revealed", () => {
    const markup = render("||the **butler**||");
    expect(markup).toContain("spoiler-cover");
    expect(markup).not.toContain("butler");
    expect(render("a || b")).toBe("<p>a || b</p>");
  });

  test("enlarges a few emoji", () => {
    expect(["🎉", "👩🏽‍🚀 🇨🇳\n❤️", ":parrot:", ":parrot: 🎉:parrot:"].map(isBig)).not.toContain(false);
    expect([":unknown:", ":parrot: yes", ":parrot: ".repeat(28)].map(isBig)).not.toContain(true);
    expect(["🎉 yes", "1", "#", "*", "🎉".repeat(28), " "].map(isBig)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  test("knows every emoji in one piece", () => {
    const emoji = allEmoji
      .flatMap((one) => [one.emoji, ...(one.skins ?? []).map((skin) => skin.emoji)])
      .filter((one) => /^\p{RGI_Emoji}$/v.test(one));
    expect(emoji.length).toBeGreaterThan(3000);
    // As many as are enlarged.
    for (let from = 0; from < emoji.length; from += 27)
      expect(emoji.slice(from, from + 27).join(" ")).toSatisfy(isBig);
  });

  test.each(["©", "™", "🇦", "1⃣", "✔", "0"])("%s isn't an emoji", (text) => {
    expect(isBig(text)).toBe(false);
  });
});

describe("a group's own emoji", () => {
  const picture = (name: string): string =>
    `<img src="/${name}.webp" alt=":${name}:" title=":${name}:" draggable="false" class="emoji-picture"/>`;
  test.each([
    ["yes :parrot:!", `yes ${picture("parrot")}!`],
    [":parrot::parrot:", picture("parrot").repeat(2)],
    ["**:parrot:** :_x_:", `<strong>${picture("parrot")}</strong> ${picture("_x_")}`],
    ["at 10:30:15, a:30: and ::30:", "at 10:30:15, a:30: and ::30:"],
    [":unknown: :Parrot: :parrot", ":unknown: :Parrot: :parrot"],
    ["`:parrot:` \\:parrot:", "<code>:parrot:</code> :parrot:"],
    ["https://a.example/:parrot:", link("https://a.example/:parrot", "https://a.example/:parrot") + ":"],
  ])("in %j", (content, expected) => {
    expect(render(content).replace('<div class="markdown markdown-big" dir="auto">', "")).toContain(expected);
  });

  test("is its name in previews", () => {
    expect(plainText(lex("> a **:parrot:**"))).toBe("a :parrot:");
  });
});

describe("mentions", () => {
  test.each([
    [`<@${ID}> <@&${ID}> <#${ID}>`, "<p><i>@01</i> <i>@&amp;01</i> <i>#01</i></p>"],
    ["@everyone, @here", '<p><span class="mention">@everyone</span>, <span class="mention">@here</span></p>'],
    ["a@here @everyones .@here", "<p>a@here @everyones .@here</p>"],
    [`\\<@${ID}> \\@here`, `<p>&lt;@${ID}&gt; @here</p>`],
    [`\`<@${ID}> @here\``, `<p><code>&lt;@${ID}&gt; @here</code></p>`],
    [`**<@${ID}>**@here`, '<p><strong><i>@01</i></strong><span class="mention">@here</span></p>'],
    [`[<@${ID}>](https://a.example)`, `<p>${link("https://a.example/", "<i>@01 plain</i>")}</p>`],
    ["<@5F0000000000000000000001> <@1>", "<p>&lt;@5F0000000000000000000001&gt; &lt;@1&gt;</p>"],
  ])("in %j", (content, expected) => {
    expect(render(content)).toBe(expected);
  });
});

describe("links", () => {
  test.each([
    ["https://a.example/b.", `<p>${link("https://a.example/b")}.</p>`],
    [
      "看https://a.example/路径，很好。",
      `<p>看${link("https://a.example/%E8%B7%AF%E5%BE%84", "https://a.example/路径")}，很好。</p>`,
    ],
    ["（https://a.example/b）", `<p>（${link("https://a.example/b")}）</p>`],
    ["(https://a.example/b_(c))", `<p>(${link("https://a.example/b_(c)")})</p>`],
    ["**https://a.example/b**", `<p><strong>${link("https://a.example/b")}</strong></p>`],
    ["www.a.example", `<p>${link("https://www.a.example/", "www.a.example")}</p>`],
    ["<https://a.example/b>", `<p>${link("https://a.example/b")}</p>`],
    ["a@b.example", `<p>${link("mailto:a@b.example", "a@b.example")}</p>`],
    ["[x](ftp://a.example)", "<p>[x](ftp://a.example)</p>"],
    ["[x](/settings)", "<p>[x](/settings)</p>"],
    ["![](https://a.example/p.png)", `<p>${link("https://a.example/p.png")}</p>`],
    ["https://good.example@evil.example/", "<p>https://good.example@evil.example/</p>"],
  ])("in %j", (content, expected) => {
    expect(render(content)).toBe(expected);
  });

  test("show the host if their text names another one", () => {
    expect(render("[www.good.example/login](https://evil.example/)")).toContain("(evil.example)");
    expect(render("[good.example](https://www.good.example/a)")).not.toContain("markdown-host");
  });

  test("to this instance open in this window", () => {
    expect(render("https://here.example/groups/a")).toContain('<a href="/groups/a"');
    expect(render("https://here.example/groups/a")).not.toContain("_blank");
  });
});

test("a preview is one line without formatting and keeps spoilers hidden", () => {
  const text = plainText(lex(`# A **b**\n\n- c\n- d\n\n||e|| \`f\` <@${ID}>\n![g](https://a.example)`));
  expect(text).toBe(`A b c d ▒▒▒▒ f <@${ID}> g`);
});

test("highlighted pieces add up to the code", () => {
  const code = 'const a = "b"; // c';
  const pieces = highlight(code, "ts")!;
  expect(pieces).toContainEqual({ kind: "keyword", children: ["const"] });
  expect(pieces).toContainEqual({ kind: "string", children: ['"b"'] });
  const text = (piece: (typeof pieces)[number]): string =>
    typeof piece === "string" ? piece : piece.children.map(text).join("");
  expect(pieces.map(text).join("")).toBe(code);
  expect(highlight("<style>a{}</style>", "html")!.map(text).join("")).toBe("<style>a{}</style>");
  expect(highlight(code, "klingon")).toBeNull();
});

test.each([
  "[",
  "*",
  "_",
  ">",
  "`",
  "~",
  "|",
  "<",
  "(",
  "!",
  "![",
  "> ",
  "- ",
  "1. ",
  "> - ",
  "**a",
  "*a_",
  "_a_",
  "a__b",
])("limits the nesting of the longest text of %j", (mark) => {
  const markup = render(mark.repeat(LIMITS.messageMaxChars / mark.length));
  const depth = Math.max(
    0,
    ...[...markup.matchAll(/(?:<(?:blockquote|ul|ol|em|strong)[^>]*>(?:<li>|<p>)*)+/g)].map(
      ([run]) => run.split("<").length,
    ),
  );
  expect(depth).toBeLessThan(40);
});

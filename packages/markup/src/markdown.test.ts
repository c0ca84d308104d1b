import { LIMITS, parseMentions } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { bold, code, codeBlock, colorMark, excerpt, fit, line, link, plain, short } from "./markdown.ts";
import { mrkdwn } from "./mrkdwn.ts";

describe("text from outside", () => {
  test.each([
    ["a snake_case name and 2*3", "a snake_case name and 2\\*3"],
    ["_all_ **of** ~it~", "\\_all\\_ \\*\\*of\\*\\* \\~it\\~"],
    [
      "# no heading\n> no quote\n- no list\n1. no list",
      "\\# no heading\n\\> no quote\n\\- no list\n1\\. no list",
    ],
    ["||no spoiler||", "\\|\\|no spoiler\\|\\|"],
    ["[a](https://a.example/b_c_*d*)", "\\[a\\](https://a.example/b_c_*d*)"],
    ["```\ncode", "\\`\\`\\`\ncode"],
    ["C:\\path", "C:\\\\path"],
    ["#1 is a number", "#1 is a number"],
  ])("%j has no markup", (text, shown) => {
    expect(plain(text)).toBe(shown);
  });

  test.each([
    [
      "a](https://evil.example) [b",
      "https://a.example",
      "[a\\](https://evil.example) \\[b](https://a.example/)",
    ],
    [
      "a",
      "https://a.example/x)[y](https://evil.example",
      "[a](https://a.example/x%29[y]%28https://evil.example)",
    ],
    ["a", 'https://a.example/`b` <c> "d"', "[a](https://a.example/%60b%60%20%3Cc%3E%20%22d%22)"],
    ["a*b\nc", "javascript:alert(1)", "a\\*b c"],
    ["", "https://a.example/b", "https://a.example/b"],
    ["a", `https://a.example/${"b".repeat(3000)}`, "a"],
    ["a", "", "a"],
  ])("a link with the text %j stays one link", (text, url, shown) => {
    expect(link(text, url)).toBe(shown);
  });

  test("code ends where it should", () => {
    expect(code("a")).toBe("`a`");
    expect(code("a `` b`")).toBe("``` a `` b` ```");
    expect(codeBlock("a\n```\nb\n")).toBe("````\na\n```\nb\n````");
  });

  test("no function lets everyone be mentioned", () => {
    const text = "@everyone, @here and https://a.example/@everyone";
    for (const shown of [
      plain(text),
      line(text),
      link(text, "https://a.example/@here"),
      bold(text),
      code(text),
      codeBlock(text),
    ])
      for (const around of [shown, `\`${shown}`, `\\${shown}`])
        expect(parseMentions(around).everyone).toBe(false);
  });

  test("long text is cut between characters", () => {
    expect(short("abcdef", 4)).toBe("abc…");
    expect(short("ab👍👍", 4)).toBe("ab…");
    expect(line("a".repeat(1000))).toHaveLength(300);
    expect(excerpt("<!-- hidden -->\n\ntext\nmore")).toBe("> text\n> more");
    expect(excerpt("<!-- hidden -->")).toBe("");
  });

  test.each([
    ["good", "🟢"],
    ["danger", "🔴"],
    ["#36a64f", "🟢"],
    ["D00000", "🔴"],
    ["#ff8000", "🟠"],
    ["#439FE0", "🔵"],
    ["#808080", ""],
    ["red", ""],
  ])("the color %s becomes %j", (color, mark) => {
    expect(colorMark(color)).toBe(mark);
  });
});

describe("a message over the limit", () => {
  const long = Array.from({ length: 2000 }, (_, index) => `line ${index}`).join("\n");

  test("ends with a whole line and a link to the rest", () => {
    const text = fit(long, "https://a.example/all");
    expect(text.length).toBeLessThanOrEqual(LIMITS.messageMaxChars);
    expect(text).toMatch(/\nline \d+\n… \[More\]\(https:\/\/a\.example\/all\)$/);
  });

  test("closes its code", () => {
    expect(fit(`\`\`\`\n${long}\n\`\`\``)).toMatch(/\nline \d+\n```\n…$/);
    expect(fit(`${"`".repeat(9000)}\n${long}`).length).toBeLessThanOrEqual(LIMITS.messageMaxChars);
  });

  test("has no half character or escape at its end", () => {
    for (const text of [
      "👍".repeat(9000),
      `x${"👍".repeat(9000)}`,
      "\\".repeat(20_000),
      "\ud83d ".repeat(9000),
    ]) {
      const shown = fit(text);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown.length).toBeLessThanOrEqual(LIMITS.messageMaxChars);
      expect(shown).not.toMatch(/\\\n…$/);
    }
  });
});

describe("Slack's markup", () => {
  test.each([
    ["*bold* _italic_ ~strike~", "**bold** _italic_ ~~strike~~"],
    ["a*b* 2 * 3 * 4, snake~case~", "a*b* 2 * 3 * 4, snake~case~"],
    ["**bold** and [a](https://b.example)", "**bold** and [a](https://b.example)"],
    ["<https://a.example/b|label> <https://a.example/c>", "[label](https://a.example/b) https://a.example/c"],
    ["<https://a.example|a](https://evil.example)>", "[a\\](https://evil.example)](https://a.example/)"],
    ["*<https://a.example|a>*", "**[a](https://a.example/)**"],
    ["<mailto:a@b.example|mail>", "[mail](mailto:a@b.example)"],
    ["<fakeLink.com|Fred>", "Fred"],
    ["a &amp;&amp; b &lt;c&gt; &amp;lt;", "a && b \\<c> &lt;"],
    ["&lt;@0123456789abcdef01234567&gt;", "\\<@0123456789abcdef01234567>"],
    [
      "<@0123456789abcdef01234567> <@U024BE7LH> <@U024BE7LH|ada> <#C1|general>",
      "<@0123456789abcdef01234567> @U024BE7LH @ada #general",
    ],
    ["<!channel> <!here> <!everyone> <!subteam^S1|@ops>", "@everyone @here @everyone @ops"],
    ["<!date^1392734382^Posted {date_num}|18 February>", "18 February"],
    ["`*a* &lt;b&gt; <https://c.example|d>`", "`*a* <b> d`"],
    ["before ```a *b*\n<c>``` after", "before \n```\na *b*\n<c>\n```\n after"],
    ["```js\nlet a;```", "```js\nlet a;\n```"],
    [":white_check_mark: :warning: :parrot_wave: 10:30:15 `:tada:`", "✅ ⚠️ :parrot_wave: 10:30:15 `:tada:`"],
    ["\uFDD00\uFDD1 `a`", "0 `a`"],
  ])("%j becomes %j", (source, shown) => {
    expect(mrkdwn(source)).toBe(shown);
  });

  test("only its own mentions notify", () => {
    expect(parseMentions(mrkdwn("@everyone and @here and &lt;!channel&gt;")).everyone).toBe(false);
    expect(parseMentions(mrkdwn("<!channel>")).everyone).toBe(true);
  });

  test("is read in linear time", () => {
    for (const piece of [
      "*",
      "`",
      "```",
      "<",
      "~",
      ":",
      "*a ",
      "<a|",
      "&lt;",
      "\uFDD0",
      "```\n",
      "_",
      "[",
      "\n",
      "a_",
    ])
      expect(mrkdwn(piece.repeat(1_000_000 / piece.length)).length).toBeLessThan(200_000);
  });
});

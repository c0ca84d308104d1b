import { defaultTreeAdapter as tree, parseFragment, type DefaultTreeAdapterTypes } from "parse5";
import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Markdown, MarkdownPreview } from "./markdown.tsx";
import { XSS_CORPUS } from "../../../../test/xss-corpus.ts";

/** The elements a message can contain, with their attributes and the allowed values. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  div: {
    class: /^(?:markdown(?: markdown-big)?|markdown-table|code-block|code-block-bar)$/,
    dir: /^(?:auto|ltr)$/,
  },
  p: { class: /^markdown-heading$/, "data-depth": /^[1-4]$/ },
  a: {
    href: /^(?:https?:\/\/|mailto:)[^\s<>"]*$/,
    title: /^(?:https?:\/\/|mailto:)/,
    dir: /^auto$/,
    target: /^_blank$/,
    rel: /^noopener noreferrer nofollow ugc$/,
  },
  span: { class: /^(?:mention|spoiler|markdown-host)$/ },
  button: { type: /^button$/, class: /^spoiler-cover$/, "aria-label": /^markdown\./, title: /^markdown\./ },
  pre: { tabindex: /^0$/ },
  ol: { start: /^\d{1,9}$/ },
  li: { class: /^markdown-task$/ },
  th: { style: /^text-align:(?:left|center|right)$/ },
  td: { style: /^text-align:(?:left|center|right)$/ },
  ...Object.fromEntries(
    ["strong", "em", "del", "code", "br", "ul", "blockquote", "hr", "table", "thead", "tbody", "tr"].map(
      (name) => [name, {}],
    ),
  ),
};

/** Lists what is not allowed in the markup. The copy button's icon is part of the page itself. */
function violations(markup: string): string[] {
  const found: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (tree.isCommentNode(node) || tree.isDocumentTypeNode(node)) found.push(node.nodeName);
    if (tree.isElementNode(node)) {
      const { tagName, attrs } = node;
      const isIcon =
        tagName === "svg" && attrs.some(({ name, value }) => name === "class" && value.startsWith("lucide "));
      if (isIcon) return;
      const allowed = ALLOWED[tagName];
      if (allowed === undefined) found.push(`<${tagName}>`);
      for (const { name, value } of attrs) {
        if (allowed?.[name]?.test(value) !== true) found.push(`<${tagName} ${name}="${value}">`);
      }
      if (tagName === "a" && !attrs.some(({ name }) => name === "rel")) found.push("<a> without rel");
    }
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  visit(parseFragment(markup));
  return found;
}

const render = (content: string): string => renderToStaticMarkup(createElement(Markdown, { content }));

const POSITIONS: Readonly<Record<string, (text: string) => string>> = {
  alone: (text) => text,
  "in a sentence": (text) => `before ${text} after`,
  "between words": (text) => `before${text}after`,
  "as text of a link": (text) => `[${text}](https://good.example)`,
  "as target of a link": (text) => `[press](${text})`,
  "as target in angles": (text) => `[press](<${text}>)`,
  "as title of a link": (text) => `[press](https://good.example "${text}")`,
  "as autolink": (text) => `<${text}>`,
  "after an address": (text) => `https://good.example/${text}`,
  "as text of an image": (text) => `![${text}](https://good.example/a.png)`,
  "as target of an image": (text) => `![picture](${text})`,
  "as a definition": (text) => `[press]\n\n[press]: ${text}`,
  "in code": (text) => `\`${text}\``,
  "in a block of code": (text) => `\`\`\`js\n${text}\n\`\`\``,
  "as language of code": (text) => `\`\`\`${text}\ncode\n\`\`\``,
  "in a heading": (text) => `## ${text}`,
  "in a quote": (text) => `> ${text}`,
  "in a list": (text) => `- ${text}\n1. ${text}`,
  "in a task": (text) => `- [x] ${text}`,
  "in a table": (text) => `| ${text} | b |\n| --- | :-: |\n| ${text} | ${text} |`,
  "in a spoiler": (text) => `||${text}||`,
  emphasized: (text) => `**_~~${text}~~_**`,
  "in a mention": (text) => `<@${text}>`,
  "after a mention": (text) => `<@5f0000000000000000000001>${text}`,
};

test("the corpus has enough distinct texts", () => {
  expect(new Set(XSS_CORPUS).size).toBe(XSS_CORPUS.length);
  expect(XSS_CORPUS.length).toBeGreaterThan(250);
});

describe.each(Object.entries(POSITIONS))("hostile texts %s", (_position, place) => {
  test("become only allowed elements", () => {
    const found = XSS_CORPUS.map((text) => ({ text, violations: violations(render(place(text))) }));
    expect(found.filter((each) => each.violations.length > 0)).toEqual([]);
  });
});

test("hostile texts become plain text in a preview", () => {
  const preview = (content: string) => renderToStaticMarkup(createElement(MarkdownPreview, { content }));
  const found = XSS_CORPUS.map((text) => preview(text)).filter(
    (markup) => markup.includes("<a") || violations(markup).length > 0,
  );
  expect(found).toEqual([]);
});

test("the check detects violations", () => {
  const seen = [
    "<script>x</script>",
    "<p onclick=x>",
    '<a href="javascript:x">',
    "<svg><path/></svg>",
    "<!-- x -->",
  ];
  expect(seen.filter((markup) => violations(markup).length === 0)).toEqual([]);
});

test("arbitrary texts become only allowed elements", () => {
  const marks = "[]()<>!*_~`|#-+.\\\n\t \"'&:;/@=".split("");
  const fragments =
    "** || ``` ]( ![ <@ </ javascript: https:// data: on <script> <img/onerror=y> \u202E \0 &#106; |--| > 1. www.a.b a@b.cc 5f0000000000000000000001";
  const mark = fc.constantFrom(...marks, ...fragments.split(" "));
  const text = fc
    .array(fc.oneof({ weight: 3, arbitrary: mark }, fc.string({ unit: "binary", maxLength: 4 })), {
      maxLength: 60,
    })
    .map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (content) => {
      expect(violations(render(content))).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

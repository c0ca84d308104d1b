import { LIMITS } from "@fanfare/contract/limits";
import { Marked, Tokenizer, type Token, type TokenizerThis, type Tokens } from "marked";

export type TextPart =
  | string
  | { type: "user" | "role" | "channel"; id: string }
  | { type: "everyone"; text: "@everyone" | "@here" };

/** The tokens that the contract's `parseMentions` counts, and channel links. */
const TOKEN = /<(@&?|#)([0-9a-f]{24})>|(?<![\w@.])(@(?:everyone|here))(?![\w@])/g;
/** A group's own emoji: `:parrot:`. */
export const EMOJI_CODE = new RegExp(
  `:([a-z0-9_-]{${LIMITS.emojiNameMinChars},${LIMITS.emojiNameMaxChars}}):`,
);
const EMOJI_CODE_HERE = new RegExp(`^${EMOJI_CODE.source}(?!\\w)`);
/** Bidirectional overrides can make one address look like another. Marks and isolates are harmless. */
const OVERRIDES = /[\u202A-\u202E]/g;
const KINDS = { "@": "user", "@&": "role", "#": "channel" } as const;

/** @param before the character before the text: `a@here` isn't a mention */
export function textParts(text: string, before = ""): TextPart[] {
  const parts: TextPart[] = [];
  const source = before + text;
  let from = before.length;
  for (const match of source.matchAll(TOKEN)) {
    const { 0: raw, 1: kind, 2: id, 3: all, index } = match;
    if (index < from) continue;
    if (index > from) parts.push(withoutOverrides(source.slice(from, index)));
    if (all !== undefined) parts.push({ type: "everyone", text: all as "@everyone" | "@here" });
    else parts.push({ type: KINDS[kind as keyof typeof KINDS], id: id! });
    from = index + raw.length;
  }
  if (from < source.length) parts.push(withoutOverrides(source.slice(from)));
  return parts;
}

export function withoutOverrides(text: string): string {
  return text.replace(OVERRIDES, "");
}

/** The text in one line without formatting. Spoilers stay hidden. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => textOf(token as Tokens.Generic))
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

function textOf(token: Tokens.Generic): string {
  const inner = (): string => (token.tokens ?? []).map((child) => textOf(child as Tokens.Generic)).join("");
  switch (token.type) {
    case "space":
    case "br":
    case "hr":
      return " ";
    case "spoiler":
      return "▒".repeat(4);
    case "list":
      return (token as Tokens.List).items.map((item) => `${textOf(item)} `).join("");
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const cells = [header, ...rows].flat();
      return cells
        .map((cell) => `${cell.tokens.map((child) => textOf(child as Tokens.Generic)).join("")} `)
        .join("");
    }
    case "paragraph":
    case "heading":
    case "blockquote":
      return `${inner()} `;
    case "code":
    case "codespan":
    case "image":
    case "escape":
      return String(token["text"]);
    case "checkbox":
      return (token as Tokens.Checkbox).checked ? "☑ " : "☐ ";
    default:
      return token.tokens === undefined ? String(token["text"] ?? token.raw) : inner();
  }
}

const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The parser accepts characters in hosts that aren't valid. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])?$/;

/**
 * The parsed address, or null if it must not become a link: a scheme that could run code, a relative or invalid address, or one with
 * credentials, which look like a host.
 */
export function safeUrl(href: string): URL | null {
  const url = URL.parse(href);
  if (url === null || !PROTOCOLS.has(url.protocol)) return null;
  if (!HOST.test(url.hostname) || /[\s<>"]/.test(url.href)) return null;
  return url.username === "" && url.password === "" ? url : null;
}

/** Whether the text looks like an address of another host than the link's. */
export function pretends(text: string, url: URL): boolean {
  const host = /^\s*(?:https?:\/\/)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)(?=[/?#:\s]|$)/iu.exec(text)?.[1];
  if (host === undefined || url.protocol === "mailto:") return false;
  const shown = URL.parse(`https://${host}`)?.hostname.replace(/^www\./, "");
  return shown !== undefined && shown !== url.hostname.replace(/^www\./, "");
}

const START = /^(?:https?:\/\/|www\.)(?=[\p{L}\p{N}[])/iu;

/** Full-width punctuation ends an address: `看https://example.org，很好`. */
const BODY = /^[^\s<>"`，。、；：？！（）「」『』【】《》〈〉〔〕“”‘’…　\p{Cc}\p{Bidi_Control}]+/u;

const TRAILING = /[.,;:!?'*_~|)\]}]$/;

const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

export type { Token, Tokens };

/** Deeper nesting is plain text, so that a message can neither slow down the page nor overflow the stack. */
const MAX_DEPTH = 8;

/** Finding the end of each emphasis costs time, so further marks are plain text. */
const MAX_EMPHASES = 200;

let depth = 0;
let emphases = 0;

/** Lexing is synchronous, so one set of counters is enough. */
function deeper<T>(work: () => T): T | undefined {
  if (depth >= MAX_DEPTH) return undefined;
  depth += 1;
  try {
    return work();
  } finally {
    depth -= 1;
  }
}

function emphasis<T>(work: () => T): T | undefined {
  emphases += 1;
  return emphases > MAX_EMPHASES ? undefined : deeper(work);
}

const base = Tokenizer.prototype;

const lexer = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: {
    blockquote(src) {
      return deeper(() => base.blockquote.call(this, src));
    },
    list(src) {
      return deeper(() => base.list.call(this, src));
    },
    emStrong(src, maskedSrc, prevChar) {
      return emphasis(() => base.emStrong.call(this, src, maskedSrc, prevChar));
    },
    del(src, maskedSrc, prevChar) {
      return emphasis(() => base.del.call(this, src, maskedSrc, prevChar));
    },
    link(src) {
      return deeper(() => base.link.call(this, src));
    },
    url(src) {
      return autolink(src) ?? false;
    },
    // Plain text: HTML, link definitions (they would vanish), setext headings and indented code, in which `parseMentions` would still
    // find mentions.
    html: () => undefined,
    tag: () => undefined,
    def: () => undefined,
    lheading: () => undefined,
    code: () => undefined,
  },
  extensions: [
    {
      name: "spoiler",
      level: "inline",
      start: (src) => src.indexOf("||"),
      tokenizer(this: TokenizerThis, src) {
        const match = /^\|\|(?!\|)([\s\S]+?)\|\|(?!\|)/.exec(src);
        if (match === null) return undefined;
        return deeper(() => {
          const tokens = this.lexer.inlineTokens(match[1]!, []);
          return { type: "spoiler", raw: match[0], tokens };
        });
      },
    },
    {
      name: "math",
      level: "inline",
      start: (src) => src.indexOf("$$"),
      tokenizer(src) {
        const match = /^\$\$(?![\s$])([^$\n]*[^$\s])\$\$(?!\$)/.exec(src);
        // A mention in it would count, and no one would see it.
        if (match === null || match[1]!.search(TOKEN) >= 0) return undefined;
        return { type: "math", raw: match[0], text: match[1]! };
      },
    },
    {
      // Before the underscores of a name would start an emphasis.
      name: "emojiCode",
      level: "inline",
      start: (src) => src.search(EMOJI_CODE),
      tokenizer(this: TokenizerThis, src, tokens) {
        const match = EMOJI_CODE_HERE.exec(src);
        const before = (tokens as Token[]).at(-1);
        // A time such as 10:30:15 has none, but emoji can follow each other.
        const isWithin = before !== undefined && before.type !== "emojiCode" && /[\w:]$/.test(before.raw);
        if (match === null || isWithin) return undefined;
        return { type: "emojiCode", raw: match[0], text: match[0], name: match[1]! };
      },
    },
  ],
});

/** Never throws, and takes at most a tenth of a second for 10,000 characters. */
export function lex(content: string): Token[] {
  depth = 0;
  emphases = 0;
  return lexer.lexer(content);
}

/** The address at the start of a text, without surrounding punctuation. */
function autolink(src: string): Tokens.Link | undefined {
  if (!START.test(src)) return undefined;
  const text = trimmed(BODY.exec(src)?.[0] ?? "");
  if (!START.test(text)) return undefined;
  const href = text.toLowerCase().startsWith("www.") ? `https://${text}` : text;
  const tokens = [{ type: "text", raw: text, text }];
  return { type: "link", raw: text, text, href, autolink: true, tokens };
}

/** Removes trailing punctuation; `(see https://example.org/a_(b))` keeps the inner parentheses. */
function trimmed(text: string): string {
  let end = text.length;
  const open: Record<string, number> = {};
  for (const character of text) open[character] = (open[character] ?? 0) + 1;
  while (TRAILING.test(text.slice(end - 1, end))) {
    const last = text.charAt(end - 1);
    const opener = CLOSES[last];
    if (opener !== undefined && (open[last] ?? 0) <= (open[opener] ?? 0)) break;
    open[last] = (open[last] ?? 0) - 1;
    end -= 1;
  }
  return text.slice(0, end);
}

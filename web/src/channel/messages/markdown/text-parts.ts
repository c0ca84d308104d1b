import type { Token, Tokens } from "./lex.ts";

/** A piece of plain text, or something in it that stands for something else. */
export type TextPart =
  | string
  | { type: "user" | "role" | "channel"; id: string }
  | { type: "everyone"; text: "@everyone" | "@here" };

/** The same tokens as `parseMentions` of the contract counts, and links to channels. */
const TOKEN = /<(@&?|#)([0-9a-f]{24})>|(?<![\w@.])(@(?:everyone|here))(?![\w@])/g;
/** They turn the direction of the text around them, so that one address looks like another. Marks and isolates stay. */
const OVERRIDES = /[\u202A-\u202E]/g;
const KINDS = { "@": "user", "@&": "role", "#": "channel" } as const;

/** @param before the character before the text: `a@here` is no mention */
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

/** Roughly what a text says, in one line and without marks; what spoilers hide stays hidden. */
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

/** Of a host as the parser leaves it; it lets characters through that no host has. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])?$/;

/**
 * The address as the browser will understand it, or null when it is not one to follow: a scheme that could run code, a
 * relative one, one that no server has, or one with a name and password, which look like a host.
 */
export function safeUrl(href: string): URL | null {
  const url = URL.parse(href);
  if (url === null || !PROTOCOLS.has(url.protocol)) return null;
  if (!HOST.test(url.hostname) || /[\s<>"]/.test(url.href)) return null;
  return url.username === "" && url.password === "" ? url : null;
}

/** Whether a text looks like the address of another host than the one it links to. */
export function pretends(text: string, url: URL): boolean {
  const host = /^\s*(?:https?:\/\/)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)(?=[/?#:\s]|$)/iu.exec(text)?.[1];
  if (host === undefined || url.protocol === "mailto:") return false;
  const shown = URL.parse(`https://${host}`)?.hostname.replace(/^www\./, "");
  return shown !== undefined && shown !== url.hostname.replace(/^www\./, "");
}

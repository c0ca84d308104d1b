import type { Token, Tokens } from "./lex.ts";

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

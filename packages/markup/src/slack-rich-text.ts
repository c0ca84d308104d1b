import { z } from "zod";
import { withEmoji } from "./emoji.ts";
import { code, codeBlock, line, link, paragraphs, plain, quote } from "./markdown.ts";
import { flag, list, maybe, text } from "./payload-fields.ts";

const MAX_PIECES = 200;
const MAX_INDENT = 8;

const piece = z.object({
  type: text,
  text,
  url: text,
  name: text,
  user_id: text,
  usergroup_id: text,
  channel_id: text,
  range: text,
  fallback: text,
  value: text,
  style: maybe(z.object({ bold: flag, italic: flag, strike: flag, code: flag })),
});
/** The items of a list have pieces of their own; nothing is nested deeper. */
const pieceOrItem = piece.extend({ elements: list(piece, MAX_PIECES) });
export const richTextPart = z.object({
  type: z.string(),
  style: text,
  indent: z.int().min(0).max(MAX_INDENT).catch(0),
  elements: list(pieceOrItem, MAX_PIECES),
});

type Part = z.output<typeof richTextPart>;
type Piece = z.output<typeof piece>;

/** The block that Slack's own editor makes. */
export function richText(parts: readonly Part[]): string {
  return paragraphs(...parts.map((part) => partText(part).replace(/^\n+/, "").trimEnd()));
}

function partText({ type, style, indent, elements: { items } }: Part): string {
  switch (type) {
    case "rich_text_list":
      return items
        .map(({ elements }, index) => {
          const mark = style === "ordered" ? `${index + 1}.` : "-";
          return `${"   ".repeat(indent)}${mark} ${pieces(elements.items).replaceAll("\n", " ")}`;
        })
        .join("\n");
    case "rich_text_quote":
      return quote(pieces(items));
    case "rich_text_preformatted":
      return codeBlock(items.map(({ text, url }) => text || url).join(""));
    default:
      return pieces(items);
  }
}

const pieces = (items: readonly Piece[]): string => items.map(pieceText).join("");

function pieceText(one: Piece): string {
  switch (one.type) {
    case "text":
      return styled(one);
    case "link":
      return link(one.text || one.url, one.url);
    case "emoji":
      return withEmoji(`:${one.name}:`);
    case "broadcast":
      return one.range === "here" ? "@here" : "@everyone";
    case "user":
      return /^[0-9a-f]{24}$/.test(one.user_id) ? `<@${one.user_id}>` : line(`@${one.user_id}`);
    case "usergroup":
      return line(`@${one.usergroup_id}`);
    case "channel":
      return line(`#${one.channel_id}`);
    default:
      return plain(one.fallback || one.value || one.text);
  }
}

/** Marks must touch the words, so spaces stay outside. */
function styled({ text, style }: Piece): string {
  const inner = text.trim();
  if (inner === "" || style === null) return plain(text);
  let shown = style.code ? code(inner) : plain(inner);
  if (style.strike) shown = `~~${shown}~~`;
  if (style.italic) shown = `_${shown}_`;
  if (style.bold) shown = `**${shown}**`;
  const before = text.slice(0, text.length - text.trimStart().length);
  return before + shown + text.slice(text.trimEnd().length);
}

import { z } from "zod";
import {
  cardOf,
  type CardSource,
  cardText,
  type Converted,
  flag,
  list,
  maybe,
  text,
  timeOf,
} from "./card.ts";
import { mrkdwn, plainText, withEmoji } from "./mrkdwn.ts";
import { lines, link, paragraphs, plain, withoutEveryone, code, codeBlock, line, quote } from "./markdown.ts";

const MAX_BLOCKS = 50;
const MAX_ATTACHMENTS = 20;
const MAX_PARTS = 25;

const shownText = z.union([
  z.string().transform((shown) => ({ type: "mrkdwn", text: shown })),
  z.object({ type: text, text }),
]);
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
const richTextPart = z.object({
  type: z.string(),
  style: text,
  indent: z.int().min(0).max(MAX_INDENT).catch(0),
  elements: list(pieceOrItem, MAX_PIECES),
});

type Part = z.output<typeof richTextPart>;
type Piece = z.output<typeof piece>;

const element = z.object({
  text: maybe(shownText),
  type: text,
  url: text,
  image_url: text,
  alt_text: text,
});
const block = z.object({
  type: z.string(),
  text: maybe(shownText),
  fields: list(shownText, MAX_PARTS),
  elements: z.unknown().optional(),
  accessory: maybe(element),
  title: maybe(shownText),
  image_url: text,
  alt_text: text,
});
const elements = list(element, MAX_PARTS);
const richTextParts = list(richTextPart, MAX_BLOCKS);
const blocks = list(block, MAX_BLOCKS);

const attachment = z.object({
  fallback: text,
  color: text,
  pretext: text,
  author_name: text,
  author_link: text,
  title: text,
  title_link: text,
  text,
  fields: list(z.object({ title: text, value: text, short: flag }), MAX_BLOCKS),
  image_url: text,
  thumb_url: text,
  footer: text,
  ts: text,
  actions: list(element, MAX_PARTS),
  blocks,
});
/** The attachments of a message, as Mattermost has them too. */
export const slackAttachments = list(attachment, MAX_ATTACHMENTS);

/** What a message of Slack shows. */
export const slackMessage = z.object({ text, blocks, attachments: slackAttachments });

/** The texts of an attachment that are markup, such as `mrkdwn`. */
type Markup = (text: string) => string;

/** A message in Slack's own markup. Its texts are empty if it shows nothing. */
export function fromSlackMessage({ text, blocks, attachments }: z.output<typeof slackMessage>): Converted {
  const shown = blocksText(blocks.items) || mrkdwn(text);
  return withAttachments(shown, attachments.items, mrkdwn);
}

/** Adds attachments to a text above them. */
export function withAttachments(
  shown: string,
  items: readonly z.output<typeof attachment>[],
  markup: Markup,
): Converted {
  const parts = items.map((item) => {
    const source = sourceOf(item, markup);
    const card = cardText(source);
    const above = markup(item.pretext) || (card === "" ? plain(plainText(item.fallback)) : "");
    return { source, card, above };
  });
  const cards = parts.flatMap(({ source, card }) => (card === "" ? [] : [cardOf(source)]));
  // Cards stand together below the text, so only the first can have a text above it.
  const isLossless = cards.length > 0 && parts.slice(1).every(({ above }) => above === "");
  return {
    text: paragraphs(shown, ...parts.map(({ above, card }) => lines(above, card))),
    rich: isLossless ? { text: paragraphs(shown, parts[0]!.above), cards } : null,
  };
}

function sourceOf(item: z.output<typeof attachment>, markup: Markup): CardSource {
  return {
    color: item.color,
    author: plainText(item.author_name),
    authorUrl: item.author_link,
    title: plainText(item.title),
    url: item.title_link,
    body: lines(markup(item.text), blocksText(item.blocks.items)),
    fields: item.fields.items.map(({ title, value, short }) => ({
      name: plainText(title),
      value: markup(value),
      short,
    })),
    image: item.image_url || item.thumb_url,
    links: linksOf(item.actions.items),
    footer: plainText(item.footer),
    time: timeOf(item.ts),
  };
}

function blocksText(items: readonly z.output<typeof block>[]): string {
  return paragraphs(...items.map(blockText));
}

function blockText(one: z.output<typeof block>): string {
  switch (one.type) {
    case "header":
      return one.text === null ? "" : `### ${shown(one.text).replaceAll("\n", " ")}`;
    case "section":
      return lines(
        one.text === null ? "" : shown(one.text),
        ...one.fields.items.map(shown),
        one.accessory === null ? "" : linksOf([one.accessory]),
      );
    case "context":
      return elements
        .parse(one.elements)
        .items.map((part) => (part.text === null ? "" : shown(part.text)))
        .filter(Boolean)
        .join(" · ");
    case "actions":
      return linksOf(elements.parse(one.elements).items);
    case "image":
      return link(one.title?.text || one.alt_text || "Image", one.image_url);
    case "divider":
      return "---";
    case "markdown":
      return withoutEveryone(one.text?.text ?? "");
    case "rich_text":
      return richText(richTextParts.parse(one.elements).items);
    default:
      return "";
  }
}

const shown = ({ type, text }: z.output<typeof shownText>): string =>
  type === "plain_text" ? withEmoji(plain(plainText(text))) : mrkdwn(text);

/** Buttons without an address call the app that sent them, which isn't possible here. */
function linksOf(buttons: readonly z.output<typeof element>[]): string {
  return buttons
    .map(({ type, text, url, image_url: image, alt_text: alt }) =>
      type === "image"
        ? link(alt || "Image", image)
        : url === ""
          ? ""
          : link(withEmoji(plainText(text?.text ?? "")), url),
    )
    .filter(Boolean)
    .join(" · ");
}

/** The block that Slack's own editor makes. */
function richText(parts: readonly Part[]): string {
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

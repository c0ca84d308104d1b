import {
  lines,
  link,
  mrkdwn,
  paragraphs,
  plain,
  plainText,
  withEmoji,
  withoutEveryone,
} from "@fanfare/markup";
import { invalid } from "@fanfare/kernel";
import { z } from "zod";
import { cardText, timeOf } from "./card.ts";
import { richText, richTextPart } from "./slack-rich-text.ts";
import { type Convert, list, maybe, read, text } from "./webhook-message.ts";

const MAX_BLOCKS = 50;
const MAX_ATTACHMENTS = 20;
const MAX_PARTS = 25;

const shownText = z.union([
  z.string().transform((shown) => ({ type: "mrkdwn", text: shown })),
  z.object({ type: text, text }),
]);
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
  fields: list(z.object({ title: text, value: text }), MAX_BLOCKS),
  image_url: text,
  thumb_url: text,
  footer: text,
  ts: text,
  actions: list(element, MAX_PARTS),
  blocks,
});
export const attachments = list(attachment, MAX_ATTACHMENTS);

const slack = z.object({ text, username: text, icon_url: text, icon_emoji: text, blocks, attachments });

/** The texts of an attachment that are markup, such as `mrkdwn`. */
type Markup = (text: string) => string;

/** Messages of incoming webhooks of Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const fromSlack: Convert = (payload) => {
  const message = read(slack, payload);
  const shown = paragraphs(
    blocksText(message.blocks.items) || mrkdwn(message.text),
    attachmentsText(message.attachments.items, mrkdwn),
  );
  if (shown === "") throw noText();
  return { text: shown, ...senderOf(message) };
};

export const noText = () => invalid("text", "is missing or empty");

/** The emoji of a sender without a picture stands before the name. */
export function senderOf(message: { username: string; icon_url: string; icon_emoji: string }) {
  const emoji = withEmoji(message.icon_emoji);
  const isKnown = emoji !== "" && emoji !== message.icon_emoji && message.icon_url === "";
  return {
    username: isKnown && message.username !== "" ? `${emoji} ${message.username}` : message.username,
    avatarUrl: message.icon_url,
  };
}

export function attachmentsText(items: readonly z.output<typeof attachment>[], markup: Markup): string {
  const texts = items.map((item) => {
    const card = cardText({
      color: item.color,
      author: plainText(item.author_name),
      authorUrl: item.author_link,
      title: plainText(item.title),
      url: item.title_link,
      body: lines(markup(item.text), blocksText(item.blocks.items)),
      fields: item.fields.items.map(({ title, value }) => ({ name: plainText(title), value: markup(value) })),
      image: item.image_url || item.thumb_url,
      links: linksOf(item.actions.items),
      footer: plainText(item.footer),
      time: timeOf(item.ts),
    });
    return lines(markup(item.pretext), card) || plain(plainText(item.fallback));
  });
  return paragraphs(...texts);
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

import { invalid } from "@fanfare/kernel";
import {
  fromSlackMessage,
  maybe,
  paragraphs,
  slackAttachments,
  slackMessage,
  text,
  withAttachments,
  withEmoji,
  cardOf,
  type CardSource,
  cardText,
  flag,
  httpUrl,
  link,
  list,
  type RichMessage,
  timeOf,
  withoutEveryone,
  withoutDiscordMarkup,
} from "@fanfare/markup";
import { z } from "zod";
import { type Convert, read } from "./webhook-message.ts";

const slack = slackMessage.extend({ username: text, icon_url: text, icon_emoji: text });

/** Messages of incoming webhooks of Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const fromSlack: Convert = (payload, { hasFiles }) => {
  const message = read(slack, payload);
  const converted = fromSlackMessage(message);
  if (converted.text === "" && !hasFiles) throw noText();
  return { ...converted, ...senderOf(message) };
};

const noText = () => invalid("text", "is missing or empty");

/** The emoji of a sender without a picture stands before the name. */
function senderOf(message: { username: string; icon_url: string; icon_emoji: string }) {
  const emoji = withEmoji(message.icon_emoji);
  const isKnown = emoji !== "" && emoji !== message.icon_emoji && message.icon_url === "";
  return {
    username: isKnown && message.username !== "" ? `${emoji} ${message.username}` : message.username,
    avatarUrl: message.icon_url,
  };
}

const MENTIONS = /(?<![\w@.])@(?:all|channel)(?![\w@])/g;

const mattermost = z.object({
  text,
  username: text,
  icon_url: text,
  icon_emoji: text,
  attachments: slackAttachments,
  props: maybe(z.object({ card: text, attachments: slackAttachments })),
});

/** Messages of incoming webhooks of Mattermost, in markdown: https://developers.mattermost.com/integrate/webhooks/incoming/ */
export const fromMattermost: Convert = (payload, { hasFiles }) => {
  const message = read(mattermost, payload);
  const { props } = message;
  const items = [...message.attachments.items, ...(props?.attachments.items ?? [])];
  const { text: shown, rich } = withAttachments(markdown(message.text), items, markdown);
  // What Mattermost shows beside the message.
  const more = markdown(props?.card ?? "");
  const converted = {
    text: paragraphs(shown, more),
    rich: rich ? { ...rich, text: paragraphs(rich.text, more) } : null,
  };
  if (converted.text === "" && !hasFiles) throw noText();
  return { ...converted, ...senderOf(message) };
};

/** `@channel` needs the permission to mention everyone. */
const markdown = (shown: string): string => withEmoji(shown).replace(MENTIONS, "@everyone");

const MAX_EMBEDS = 10;
const MAX_FIELDS = 25;

const named = maybe(z.object({ name: text, url: text, text }));
const image = maybe(z.object({ url: text }));
const embed = z.object({
  title: text,
  url: text,
  description: text,
  color: z.int().min(1).max(0xff_ff_ff).nullable().catch(null),
  timestamp: text,
  author: named,
  footer: named,
  image,
  thumbnail: image,
  fields: list(z.object({ name: text, value: text, inline: flag }), MAX_FIELDS),
});
/** Buttons, in rows. */
const button = z.object({ label: text, url: text });
const discord = z.object({
  content: text,
  username: text,
  avatar_url: text,
  embeds: list(embed, MAX_EMBEDS),
  components: list(z.object({ components: list(button, MAX_FIELDS) }), MAX_EMBEDS),
  allowed_mentions: maybe(z.object({ parse: z.array(z.unknown()).catch([]) })),
});

/** Messages of Discord's webhooks: https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const fromDiscord: Convert = (payload, { hasFiles }) => {
  const message = read(discord, payload);
  const { allowed_mentions: allowed, username, avatar_url: avatarUrl } = message;
  const markdown = withoutDiscordMarkup(message.content);
  const content =
    allowed === null || allowed.parse.includes("everyone") ? markdown : withoutEveryone(markdown);
  const sources = message.embeds.items.map(sourceOf).filter((source) => cardText(source) !== "");
  const links = message.components.items
    .flatMap((row) => row.components.items)
    .flatMap(({ label, url }) => {
      const address = httpUrl(url);
      return address === undefined ? [] : [{ kind: "link" as const, label, url: address }];
    });
  const shown = paragraphs(
    content,
    ...sources.map(cardText),
    links.map(({ label, url }) => link(label, url)).join(" · "),
  );
  if (shown === "" && !hasFiles)
    throw invalid("content", "is missing or empty: send `content`, `embeds` or files");
  const rich: RichMessage = { text: content, cards: sources.map(cardOf), controls: links };
  return { text: shown, rich, username, avatarUrl };
};

const sourceOf = (one: z.output<typeof embed>): CardSource => ({
  color: one.color === null ? "" : one.color.toString(16).padStart(6, "0"),
  author: one.author?.name ?? "",
  authorUrl: one.author?.url ?? "",
  title: one.title,
  url: one.url,
  body: withoutEveryone(withoutDiscordMarkup(one.description)),
  fields: one.fields.items.map(({ name, value, inline }) => ({
    name,
    short: inline,
    value: withoutEveryone(withoutDiscordMarkup(value)),
  })),
  image: one.image?.url ?? one.thumbnail?.url ?? "",
  links: "",
  footer: one.footer?.text ?? "",
  time: timeOf(one.timestamp),
});

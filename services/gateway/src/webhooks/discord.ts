import {
  cardOf,
  type CardSource,
  cardText,
  flag,
  httpUrl,
  link,
  list,
  maybe,
  paragraphs,
  type RichMessage,
  text,
  timeOf,
  withoutEveryone,
} from "@fanfare/markup";
import { invalid } from "@fanfare/kernel";
import { z } from "zod";
import { type Convert, read } from "./webhook-message.ts";

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
  const markdown = withOwnMarkup(message.content);
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
  body: withoutEveryone(withOwnMarkup(one.description)),
  fields: one.fields.items.map(({ name, value, inline }) => ({
    name,
    short: inline,
    value: withoutEveryone(withOwnMarkup(value)),
  })),
  image: one.image?.url ?? one.thumbnail?.url ?? "",
  links: "",
  footer: one.footer?.text ?? "",
  time: timeOf(one.timestamp),
});

/** Discord's markdown has its own emoji and times. */
const withOwnMarkup = (markdown: string): string =>
  markdown
    .replace(/<a?(:\w{2,32}:)\d{5,20}>/g, "$1")
    .replace(/<t:(\d{1,10})(?::[a-zA-Z])?>/g, (_, seconds: string) =>
      new Date(Number(seconds) * 1000).toUTCString(),
    );

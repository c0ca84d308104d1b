import { link, paragraphs, withoutEveryone } from "@fanfare/markup";
import { invalid } from "@fanfare/kernel";
import { z } from "zod";
import { cardText, timeOf } from "./card.ts";
import { type Convert, list, maybe, read, text } from "./webhook-message.ts";

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
  fields: list(z.object({ name: text, value: text }), MAX_FIELDS),
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
export const fromDiscord: Convert = (payload) => {
  const message = read(discord, payload);
  const { allowed_mentions: allowed, username, avatar_url: avatarUrl } = message;
  const content = withOwnMarkup(message.content);
  const shown = paragraphs(
    allowed === null || allowed.parse.includes("everyone") ? content : withoutEveryone(content),
    ...message.embeds.items.map(embedText),
    message.components.items
      .flatMap((row) => row.components.items)
      .map(({ label, url }) => (url === "" ? "" : link(label, url)))
      .filter(Boolean)
      .join(" · "),
  );
  if (shown === "") throw invalid("content", "is missing or empty: send `content` or `embeds`");
  return { text: shown, username, avatarUrl };
};

const embedText = (one: z.output<typeof embed>): string =>
  cardText({
    color: one.color === null ? "" : one.color.toString(16).padStart(6, "0"),
    author: one.author?.name ?? "",
    authorUrl: one.author?.url ?? "",
    title: one.title,
    url: one.url,
    body: withoutEveryone(withOwnMarkup(one.description)),
    fields: one.fields.items.map(({ name, value }) => ({
      name,
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

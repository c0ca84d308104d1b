import { type Card, cardsSchema, type Control, isVisible, LIMITS, linksSchema } from "@fanfare/contract";
import { z } from "zod";
import { bold, colorMark, colorOf, field, fit, line, lines, link, quote } from "./markdown.ts";

/** What Slack calls an attachment and Discord an embed. Texts marked as markdown are shown as they are. */
export interface CardSource {
  color: string;
  author: string;
  authorUrl: string;
  title: string;
  url: string;
  /** Markdown. */
  body: string;
  /** The values are markdown. */
  fields: readonly { name: string; value: string; short?: boolean }[];
  image: string;
  /** Markdown. */
  links: string;
  footer: string;
  time: Date | null;
}

/** A message that shows cards. */
export interface RichMessage {
  /** Markdown. */
  text: string;
  cards: Card[];
  controls?: Extract<Control, { kind: "link" }>[];
}

export interface Converted {
  /** All of it, as markdown. */
  text: string;
  /** The same with cards; absent or null if there are none, or they would lose something. */
  rich?: RichMessage | null;
}

/**
 * The content and cards of a message; without cards if these are over a limit.
 * @param url where the whole text is, if it has to be cut
 */
export function toMessageContent(
  { text, rich }: Converted,
  url = "",
): { content: string; cards?: Card[]; controls?: Control[] } {
  if (!rich) return { content: fit(text, url) };
  const { cards, controls = [] } = rich;
  const content = rich.text.toWellFormed().trim();
  const isAccepted =
    (cards.length > 0 || (controls.length > 0 && content !== "")) &&
    content.length <= LIMITS.messageMaxChars &&
    cardsSchema.safeParse(cards).success &&
    linksSchema.safeParse(controls).success;
  return isAccepted ? { content, cards, controls } : { content: fit(text, url) };
}

/** Not checked yet: its texts can be too long. */
export function cardOf(source: CardSource): Card {
  const { title, author, footer, time } = source;
  const [url, authorUrl, imageUrl] = [source.url, source.authorUrl, source.image].map(httpUrl);
  const text = lines(source.body, source.links);
  const color = colorOf(source.color);
  // Invisible values are spacers, which cards don't need.
  const fields = source.fields.filter(({ value }) => isVisible(value));
  return {
    ...(isVisible(title) && { title, ...(url !== undefined && { url }) }),
    ...(isVisible(text) && { text }),
    ...(color !== null && { color }),
    ...(isVisible(author) && {
      author: { name: author, ...(authorUrl !== undefined && { url: authorUrl }) },
    }),
    ...(fields.length > 0 && {
      fields: fields.map(({ name, value, short = false }) => ({ name, value, ...(short && { short }) })),
    }),
    ...(isVisible(footer) && { footer }),
    ...(time !== null && { time: time.toISOString() }),
    ...(imageUrl !== undefined && { imageUrl }),
  };
}

/** undefined if it isn't one that a card can link to. */
export function httpUrl(url: string): string | undefined {
  const parsed = url.length > LIMITS.urlMaxChars ? null : URL.parse(url);
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed.href : undefined;
}

/** A quote with one line per field. */
export function cardText(card: CardSource): string {
  const { title, url, author, authorUrl, image } = card;
  const linked = link(title, url);
  const heading = title === "" ? "" : linked.startsWith("[") ? `**${linked}**` : bold(title);
  const mark = colorMark(card.color);
  const top = lines(author === "" ? "" : link(author, authorUrl), heading);
  const text = lines(
    marked(mark, lines(top, card.body)),
    ...card.fields.map(({ name, value }) => field(name, value)),
    image === "" ? "" : link("Image", image),
    card.links,
    [line(card.footer), card.time === null ? "" : shownTime(card.time)].filter(Boolean).join(" · "),
  );
  return text === "" ? "" : quote(text);
}

/** The mark stands alone before a list or a block of code. */
function marked(mark: string, text: string): string {
  if (mark === "" || text === "") return text;
  return mark + (/^(?:[-+*] |>|#|\||```|~~~|\d+[.)] )/.test(text) ? "\n" : " ") + text;
}

/** @returns null if it isn't a time */
export function timeOf(value: string): Date | null {
  const seconds = Number(value);
  const time = new Date(value !== "" && Number.isFinite(seconds) ? seconds * 1000 : value);
  return Number.isNaN(time.getTime()) ? null : time;
}

const shownTime = (time: Date): string => `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;

// Fields of payloads of other programs, which can have any shape.

/** A text; numbers and booleans are written out, and anything else counts as empty. */
export const text = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value))
  .catch("");

export const flag = z.boolean().catch(false);

/** Anything of another shape counts as absent. */
export const maybe = <S extends z.ZodType>(schema: S) => schema.nullable().catch(null);

const anything = z.unknown().optional();

/** The first `max` items. Those of another shape are left out, as is anything that isn't a list. */
export const list = <S extends z.ZodType>(item: S, max: number) =>
  anything.transform((value) => {
    const all: unknown[] = Array.isArray(value) ? value : [];
    const items = all.slice(0, max).flatMap((one) => {
      const parsed = item.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    });
    return { items, total: all.length };
  });

/** The first `max` entries of an object. */
export const pairs = (max: number) =>
  anything.transform((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    const entries = Object.entries(value).slice(0, max);
    return entries.map(([name, one]) => ({ name, value: text.parse(one) }));
  });

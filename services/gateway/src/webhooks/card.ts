import { bold, colorMark, field, line, lines, link, quote } from "@fanfare/markup";

/** What Slack calls an attachment and Discord an embed. Texts marked as markdown are shown as they are. */
export interface Card {
  color: string;
  author: string;
  authorUrl: string;
  title: string;
  url: string;
  /** Markdown. */
  body: string;
  /** The values are markdown. */
  fields: readonly { name: string; value: string }[];
  image: string;
  /** Markdown. */
  links: string;
  footer: string;
  time: Date | null;
}

/** A quote with one line per field. */
export function cardText(card: Card): string {
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

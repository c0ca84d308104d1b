import type { Card } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import type { PluginWithPage } from "./plugins.ts";

type Given = Record<string, unknown>;

const isObject = (value: unknown): value is Given => typeof value === "object" && value !== null;

const textOf = (value: unknown, maxChars: number): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.slice(0, maxChars) : undefined;

/** The card that a plug-in has made, without what cards don't have or what is too long; null if it is empty. */
export function cardOf(given: unknown): Card | null {
  if (!isObject(given)) return null;
  const { title, url, text, color, author, fields, footer } = given;
  const card = {
    title: textOf(title, LIMITS.cardLineMaxChars),
    url: textOf(url, LIMITS.urlMaxChars),
    text: textOf(text, LIMITS.cardTextMaxChars),
    footer: textOf(footer, LIMITS.cardLineMaxChars),
    color: Number.isInteger(color) ? (color as number) & 0xff_ff_ff : undefined,
    author: isObject(author) ? authorOf(author) : undefined,
    fields: Array.isArray(fields) ? fields.slice(0, LIMITS.fieldsPerCard).flatMap(fieldOf) : undefined,
  };
  const known = Object.fromEntries(Object.entries(card).filter(([, value]) => value !== undefined)) as Card;
  return known.title === undefined && known.text === undefined && known.author === undefined ? null : known;
}

function authorOf({ name, url }: Given): Card["author"] {
  const known = textOf(name, LIMITS.cardLineMaxChars);
  const link = textOf(url, LIMITS.urlMaxChars);
  return known === undefined ? undefined : { name: known, ...(link !== undefined && { url: link }) };
}

function fieldOf(field: unknown): NonNullable<Card["fields"]> {
  if (!isObject(field)) return [];
  const value = textOf(field["value"], LIMITS.cardFieldMaxChars);
  if (value === undefined) return [];
  const name = textOf(field["name"], LIMITS.cardLineMaxChars) ?? "";
  return [{ name, value, ...(field["short"] === true && { short: true }) }];
}

const MAX_LINKS = 3;
/** Code, a link in angle brackets, which gets no card, or a link. */
const TOKEN = /```[\s\S]*?(?:```|$)|`[^`\n]*`|<https?:\/\/[^\s<>]*>|https?:\/\/[^\s<>"`]+/g;
const PUNCTUATION = /[.,;:!?'*_~|)\]}]+$/;

interface Match {
  plugin: PluginWithPage;
  link: string;
}

/** The links of a text that plug-ins make cards for, without punctuation that follows them. */
export function linksFor(content: string, plugins: readonly PluginWithPage[]): Match[] {
  const tokens = [...content.matchAll(TOKEN)].map(([token]) => token);
  const links = new Set(
    tokens.filter((token) => token.startsWith("h")).map((link) => link.replace(PUNCTUATION, "")),
  );
  return [...links]
    .flatMap((link) => {
      const plugin = plugins.find(({ page }) => page.messageCards.some((start) => link.startsWith(start)));
      return plugin === undefined ? [] : [{ plugin, link }];
    })
    .slice(0, MAX_LINKS);
}

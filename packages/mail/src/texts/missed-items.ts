import type { Locale } from "@fanfare/contract";
import type { MailItem, ValuesOf } from "./texts.ts";

/** Keeps the direction of a name from affecting the words around it. */
export const isolated = (name: string): string => `\u2068${name}\u2069`;

/** With the place and time of each, in UTC, because the reader's time zone is not known. */
export function missedItems(
  locale: Locale,
  { items, more }: ValuesOf<"missed">,
  labels: { direct: string; more: string },
): MailItem[] {
  const time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  const shown = items.map(({ title, place, at, text }) => {
    const parts = [title, place ?? labels.direct, `${time.format(new Date(at))} UTC`];
    return { title: (locale === "ar" ? parts.map(isolated) : parts).join(" · "), text };
  });
  return more === 0 ? shown : [...shown, { title: labels.more }];
}

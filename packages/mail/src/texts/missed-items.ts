import type { Locale } from "@fanfare/contract";
import type { MailItem, ValuesOf } from "./texts.ts";

/** With the place and time of each, in UTC, because the reader's time zone is not known. */
export function missedItems(
  locale: Locale,
  { items, more }: ValuesOf<"missed">,
  labels: { direct: string; more: string },
): MailItem[] {
  const time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  const shown = items.map(({ title, place, at, text }) => ({
    title: `${title} · ${place ?? labels.direct} · ${time.format(new Date(at))} UTC`,
    text,
  }));
  return more === 0 ? shown : [...shown, { title: labels.more }];
}

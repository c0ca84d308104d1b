import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { localeOf } from "../i18n/language.ts";

/** Number and date formats of a language. */
interface Formats {
  milliseconds: (value: number) => string;
  bytes: (value: number) => string;
  /** Compact, such as 12K. */
  number: (value: number) => string;
  /** In full, such as 12,345. */
  count: (value: number) => string;
  time: (atMs: number) => string;
  date: (atMs: number) => string;
  dateTime: (atMs: number) => string;
  /** The two largest units, such as 3 days, 4 hr. */
  duration: (durationMs: number) => string;
}

const SECOND_MS = 1000;
const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", SECOND_MS],
] as const;
/** Short enough for a chart's axis. */
const HOURS = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const MEGABYTE = 1_000_000;
const GIGABYTE = 1_000_000_000;

export function formatsOf(language: string): Formats {
  const tag = localeOf(language);
  const unit = (name: string, options: Intl.NumberFormatOptions = {}) =>
    new Intl.NumberFormat(tag, { style: "unit", unit: name, unitDisplay: "short", ...options });
  const fine = unit("millisecond", { maximumSignificantDigits: 2 });
  const coarse = unit("millisecond", { maximumFractionDigits: 0 });
  const seconds = unit("second", { maximumFractionDigits: 1 });
  const kilobytes = unit("kilobyte", { maximumFractionDigits: 0 });
  const megabytes = unit("megabyte", { maximumFractionDigits: 0 });
  const gigabytes = unit("gigabyte", { maximumFractionDigits: 1 });
  const plain = new Intl.NumberFormat(tag, { notation: "compact", maximumFractionDigits: 1 });
  const whole = new Intl.NumberFormat(tag, { maximumFractionDigits: 0 });
  const date = new Intl.DateTimeFormat(tag, { dateStyle: "medium" });
  const dateTime = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" });
  const time = new Intl.DateTimeFormat(tag, { ...HOURS, second: "2-digit" });
  const minute = new Intl.DateTimeFormat(tag, HOURS);
  const units = UNITS.map(([name, sizeMs]) => ({ sizeMs, format: unit(name) }));
  return {
    milliseconds(value) {
      if (value >= 10 * SECOND_MS) return seconds.format(value / SECOND_MS);
      return (value < 10 ? fine : coarse).format(value);
    },
    bytes(value) {
      if (value >= GIGABYTE) return gigabytes.format(value / GIGABYTE);
      return value >= MEGABYTE ? megabytes.format(value / MEGABYTE) : kilobytes.format(value / 1000);
    },
    number: (value) => plain.format(value),
    count: (value) => whole.format(value),
    date: (atMs) => date.format(atMs),
    dateTime: (atMs) => dateTime.format(atMs),
    time: (atMs) => (atMs % 60_000 === 0 ? minute : time).format(atMs),
    duration(durationMs) {
      const largest = units.findIndex(({ sizeMs }) => durationMs >= sizeMs);
      if (largest < 0) return units.at(-1)!.format.format(0);
      const [first, second] = units.slice(largest, largest + 2);
      const parts = [first!.format.format(Math.floor(durationMs / first!.sizeMs))];
      const rest = Math.floor((durationMs % first!.sizeMs) / (second?.sizeMs ?? Infinity));
      if (second !== undefined && rest > 0) parts.push(second.format.format(rest));
      return new Intl.ListFormat(tag, { type: "unit", style: "short" }).format(parts);
    },
  };
}

export function useFormats(): Formats {
  const { i18n } = useTranslation();
  return useMemo(() => formatsOf(i18n.language), [i18n.language]);
}

import i18next from "i18next";
import { localeOf } from "../../i18n/language.ts";

type Style = "time" | "weekday" | "date" | "dateOfYear" | "full" | "day" | "dayOfYear";

const CLOCK = { hour: "numeric", minute: "2-digit" } as const;
const OPTIONS: Record<Style, Intl.DateTimeFormatOptions> = {
  time: CLOCK,
  weekday: { weekday: "long" },
  date: { month: "short", day: "numeric", ...CLOCK },
  dateOfYear: { year: "numeric", month: "short", day: "numeric", ...CLOCK },
  full: { dateStyle: "full", timeStyle: "short" },
  day: { weekday: "long", month: "long", day: "numeric" },
  dayOfYear: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
};

const formats = new Map<string, Intl.DateTimeFormat>();

export function formatTime(time: string, style: Style): string {
  return formatFor(style).format(new Date(time));
}

function formatFor(style: Style): Intl.DateTimeFormat {
  const locale = localeOf(i18next.language);
  const key = `${locale} ${style}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, OPTIONS[style]);
    formats.set(key, format);
  }
  return format;
}

/** The time of day in its shortest form, without AM/PM. */
export function clockTime(time: string): string {
  const parts = formatFor("time").formatToParts(new Date(time));
  const kept = parts.filter(({ type }) => type !== "dayPeriod");
  return kept
    .map(({ value }) => value)
    .join("")
    .trim();
}

/** The time of day, with the day if it isn't today. */
export function shortTime(time: string): string {
  return daysAgo(time) === 0 ? formatTime(time, "time") : dayAndTime(time);
}

const WEEK_DAYS = 7;

/** "Today 12:49", "Wednesday 12:49", "Nov 3, 12:49". */
export function dayAndTime(time: string): string {
  const days = daysAgo(time);
  const name = nearDay(days) ?? (days > 0 && days < WEEK_DAYS ? formatTime(time, "weekday") : null);
  if (name !== null) return `${name} ${formatTime(time, "time")}`;
  return formatTime(time, isThisYear(time) ? "date" : "dateOfYear");
}

export function dayName(time: string): string {
  return nearDay(daysAgo(time)) ?? formatTime(time, isThisYear(time) ? "day" : "dayOfYear");
}

function nearDay(days: number): string | null {
  if (days === 0) return i18next.t("messages:day.today");
  return days === 1 ? i18next.t("messages:day.yesterday") : null;
}

const DAY_MS = 86_400_000;

/** How many midnights have passed since then. */
function daysAgo(time: string): number {
  // Days with a clock change have 23 or 25 hours.
  return Math.round((new Date().setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / DAY_MS);
}

function isThisYear(time: string): boolean {
  return new Date(time).getFullYear() === new Date().getFullYear();
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** 1,300,000 becomes "1.3 MB". */
export function formatBytes(bytes: number, language: string): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const maximumFractionDigits = unit > 0 && value < 10 ? 1 : 0;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: UNITS[unit]!,
    unitDisplay: unit === 0 ? "long" : "short",
    maximumFractionDigits,
  }).format(value);
}

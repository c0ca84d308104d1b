import i18next from "i18next";
import { localeOf } from "../i18n/language.ts";

/** ISO 8601, or milliseconds since 1970. */
type Time = string | number;

const CLOCK = { hour: "numeric", minute: "2-digit" } as const;
const STYLES = {
  time: CLOCK,
  seconds: { ...CLOCK, second: "2-digit" },
  weekday: { weekday: "long" },
  date: { dateStyle: "medium" },
  dateTime: { dateStyle: "medium", timeStyle: "short" },
  dateTimeOfYear: { month: "short", day: "numeric", ...CLOCK },
  full: { dateStyle: "full", timeStyle: "short" },
  day: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  dayOfYear: { weekday: "long", month: "long", day: "numeric" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

type Style = keyof typeof STYLES;

/** The formats of a language, in a browser with these languages. */
let known = {
  language: "",
  languages: "",
  formats: new Map<Style, Intl.DateTimeFormat>(),
};

/** For lists, `dayAndTime` is easier to read. */
export function formatTime(time: Time, style: Style): string {
  return formatOf(style).format(new Date(time));
}

function formatOf(style: Style): Intl.DateTimeFormat {
  const { language } = i18next;
  const languages = String(navigator.languages);
  if (known.language !== language || known.languages !== languages)
    known = { language, languages, formats: new Map() };
  const format = known.formats.get(style) ?? newFormat(style, language);
  known.formats.set(style, format);
  return format;
}

function newFormat(style: Style, language: string): Intl.DateTimeFormat {
  const locale = localeOf(language);
  // WebKit on Linux offers "C" where the system has no language, which formats refuse.
  const own = navigator.languages.find((tag) => /^[a-z]{2}/i.test(tag)) ?? locale;
  // A German's clock has 24 hours on an English page too.
  const { hourCycle = "h23" } = new Intl.DateTimeFormat(own, CLOCK).resolvedOptions();
  return new Intl.DateTimeFormat(locale, { ...STYLES[style], hourCycle });
}

/** The time of day in its shortest form, without AM/PM. */
export function clockTime(time: Time, style: "time" | "seconds" = "time"): string {
  const parts = formatOf(style).formatToParts(new Date(time));
  const kept = parts.filter(({ type }) => type !== "dayPeriod");
  return kept
    .map(({ value }) => value)
    .join("")
    .trim();
}

/** The time of day, with the day if it isn't today. */
export function shortTime(time: Time): string {
  return daysAgo(time) === 0 ? formatTime(time, "time") : dayAndTime(time);
}

const WEEK_DAYS = 7;

/** "Today 12:49", "Wednesday 12:49", "Nov 3, 12:49". Weekdays are those of the last or the next week. */
export function dayAndTime(time: Time): string {
  const days = daysAgo(time);
  const name = nearDay(days) ?? (Math.abs(days) < WEEK_DAYS ? formatTime(time, "weekday") : null);
  if (name !== null) return `${name} ${formatTime(time, "time")}`;
  return formatTime(time, isThisYear(time) ? "dateTimeOfYear" : "dateTime");
}

export function dayName(time: Time): string {
  return nearDay(daysAgo(time)) ?? formatTime(time, isThisYear(time) ? "dayOfYear" : "day");
}

function nearDay(days: number): string | null {
  if (days === 0) return i18next.t("messages:day.today");
  if (days === -1) return i18next.t("shared:later.tomorrow");
  return days === 1 ? i18next.t("messages:day.yesterday") : null;
}

const DAY_MS = 86_400_000;

/** How many midnights have passed since then. */
function daysAgo(time: Time): number {
  // Days with a clock change have 23 or 25 hours.
  return Math.round((new Date().setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / DAY_MS);
}

function isThisYear(time: Time): boolean {
  return new Date(time).getFullYear() === new Date().getFullYear();
}

/** A position in a recording, such as 1:05. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The local start of a day given as `2026-11-21`, `today` or `yesterday`; null for anything else. */
export function parseDay(text: string, nowMs: number): Date | null {
  const word = text.toLowerCase();
  if (word === "today") return dayBefore(nowMs, 0);
  if (word === "yesterday") return dayBefore(nowMs, 1);
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(word);
  if (match === null) return null;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(year, month - 1, day);
  // Rejects dates such as February 31.
  return date.getMonth() === month - 1 && date.getDate() === day ? date : null;
}

export function dayBefore(nowMs: number, days: number): Date {
  const now = new Date(nowMs);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
}

/** In the format that `parseDay` accepts. */
export function formatDay(date: Date): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

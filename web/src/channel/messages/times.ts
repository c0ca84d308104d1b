import i18next from "i18next";

type Style = "time" | "short" | "full" | "day";

const OPTIONS: Record<Style, Intl.DateTimeFormatOptions> = {
  time: { hour: "2-digit", minute: "2-digit" },
  short: { dateStyle: "short", timeStyle: "short" },
  full: { dateStyle: "full", timeStyle: "short" },
  day: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
};

const formats = new Map<string, Intl.DateTimeFormat>();

export function formatTime(time: string, style: Style): string {
  return formatFor(style).format(new Date(time));
}

function formatFor(style: Style): Intl.DateTimeFormat {
  const language = i18next.language ?? "en";
  const key = `${language} ${style}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(language, OPTIONS[style]);
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

/** The time of day, with the date if it isn't today. */
export function shortTime(time: string): string {
  return formatTime(time, isSameDay(new Date(time), new Date()) ? "time" : "short");
}

export function dayName(time: string): string {
  const day = new Date(time);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (isSameDay(day, today)) return i18next.t("messages:day.today");
  if (isSameDay(day, yesterday)) return i18next.t("messages:day.yesterday");
  return formatTime(time, "day");
}

function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
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

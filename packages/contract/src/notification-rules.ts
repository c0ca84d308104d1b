import type { NotificationPreferences } from "./entities/inbox.ts";

/*
 * Rules of a user's notifications that the server follows for push notifications, and clients for those that they show.
 */

const LETTER = "[\\p{L}\\p{N}\\p{M}]";
const WORD = new RegExp(`${LETTER}+`, "gu");
/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Finds keywords in a text, in any case: whole words, or parts of Chinese and Japanese ones. null: there are no keywords. */
export function keywordPattern(keywords: readonly string[]): RegExp | null {
  if (keywords.length === 0) return null;
  // At one place, the longest is found.
  const longestFirst = keywords.toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(patternOf).join("|"), "giu");
}

function patternOf(keyword: string): string {
  const text = keyword.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll(/\s+/g, String.raw`\s+`);
  const chars = Array.from(keyword);
  return `${endsWord(chars[0]!) ? `(?<!${LETTER})` : ""}${text}${endsWord(chars.at(-1)!) ? `(?!${LETTER})` : ""}`;
}

/** Whether a word can't go on beside this character of it. */
function endsWord(char: string): boolean {
  return char.match(WORD) !== null && char.match(UNSPACED) === null;
}

/**
 * What a text must have in common with a keyword to match it: words in lower case, and characters of scripts without spaces. An
 * index of these finds the few keywords that can match.
 */
export function keywordKeys(text: string): string[] {
  const lower = text.toLowerCase();
  return [...new Set([...(lower.match(UNSPACED) ?? []), ...(lower.match(WORD) ?? [])])];
}

export type QuietHours = NonNullable<NotificationPreferences["quietHours"]>;

/** Quiet hours that end at or before their start end on the next day. */
export function isInQuietHours({ from, to, days, timeZone }: QuietHours, nowMs: number): boolean {
  const { day, time } = localTimeOf(nowMs, timeZone);
  const hasBegun = days.includes(day) && time >= from;
  if (from < to) return hasBegun && time < to;
  const dayBefore = day === 1 ? 7 : day - 1;
  return hasBegun || (days.includes(dayBefore) && time < to);
}

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** By time zone. There are about 400, but each can be written in many ways. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 1000;

function localTimeOf(nowMs: number, timeZone: string): { day: number; time: string } {
  const format = formats.get(timeZone) ?? newFormat(timeZone);
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(nowMs).map(({ type, value }) => [type, value]));
  return { day: DAYS.indexOf(parts["weekday"]!) + 1, time: `${parts["hour"]}:${parts["minute"]}` };
}

function newFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

export function isTimeZone(name: string): boolean {
  try {
    newFormat(name);
    return true;
  } catch {
    return false;
  }
}

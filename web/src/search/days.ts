/**
 * The beginning of a day, in the time zone of the browser: `2026-11-21`, `today`, `yesterday`. Null for anything else.
 */
export function parseDay(text: string, nowMs: number): Date | null {
  const word = text.toLowerCase();
  if (word === "today") return dayBefore(nowMs, 0);
  if (word === "yesterday") return dayBefore(nowMs, 1);
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(word);
  if (match === null) return null;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(year, month - 1, day);
  // 31 February is no day.
  return date.getMonth() === month - 1 && date.getDate() === day ? date : null;
}

export function dayBefore(nowMs: number, days: number): Date {
  const now = new Date(nowMs);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
}

/** As it is typed. */
export function dayWord(date: Date): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

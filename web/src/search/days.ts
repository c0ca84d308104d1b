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

/** A reminder as it is written after `/remind`. */
export interface WrittenReminder {
  time: Date;
  text: string;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const MORNING = "9:00";
/** `20m`, or `1h30m`. */
const SPAN = /^((?:\d{1,4}[mhdw])+)\s+(\S[\s\S]*)$/i;
/** `9:00`, `2026-12-01 9:00` or `2026-12-01`. */
const DATE = /^(?:(\d{4})-(\d{1,2})-(\d{1,2}))?(?:(?:^|\s+)(\d{1,2}:\d{2}))?\s+(\S[\s\S]*)$/;

/** The same in all languages. @returns null if there is no time, no text, or the time isn't in the future */
export function parseReminder(written: string, now: Date): WrittenReminder | null {
  const [, span, soon] = SPAN.exec(written) ?? [];
  if (span !== undefined && soon !== undefined) {
    const parts = [...span.toLowerCase().matchAll(/(\d+)([mhdw])/g)];
    const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS_MS[unit!]!, 0);
    return ms === 0 ? null : { time: new Date(now.getTime() + ms), text: soon };
  }
  const [, year, month, day, clock, text] = DATE.exec(written) ?? [];
  if (text === undefined || (year ?? clock) === undefined) return null;
  const [hours, minutes] = (clock ?? MORNING).split(":").map(Number) as [number, number];
  const date =
    year === undefined
      ? [now.getFullYear(), now.getMonth(), now.getDate()]
      : [Number(year), Number(month) - 1, Number(day)];
  const [y, m, d] = date as [number, number, number];
  const time = new Date(y, m, d, hours, minutes);
  // Such as February 30 or 25:00, which JavaScript moves to another day.
  if (hours > 23 || minutes > 59 || time.getMonth() !== m || time.getDate() !== d) return null;
  if (year === undefined && time <= now) time.setDate(d + 1);
  return time > now ? { time, text } : null;
}

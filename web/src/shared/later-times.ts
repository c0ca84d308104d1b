const MINUTE_MS = 60_000;
const MORNING_HOUR = 9;
const MONDAY = 1;

export function morning(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR);
}

const inMinutes = (minutes: number) => (now: Date) => new Date(now.getTime() + minutes * MINUTE_MS);

/** Times in the future that are offered. */
export const LATER_TIMES = [
  { id: "minutes20", after: inMinutes(20), textKey: "shared:later.minutes20" },
  { id: "hour1", after: inMinutes(60), textKey: "shared:later.hour1" },
  { id: "hours3", after: inMinutes(180), textKey: "shared:later.hours3" },
  { id: "tomorrow", after: (now: Date) => morning(now, 1), textKey: "shared:later.tomorrow" },
  {
    id: "nextWeek",
    after: (now: Date) => morning(now, (MONDAY + 7 - now.getDay()) % 7 || 7),
    textKey: "shared:later.nextWeek",
  },
] as const;

/** As a value of a `datetime-local` field. */
export function localTime(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, "2026-01-31T09:00".length);
}

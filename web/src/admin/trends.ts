import type { DayStats } from "@fanfare/contract";

export type Measure = Exclude<keyof DayStats, "day">;

/** A measure in the last days, and in as many days before. */
export interface Trend {
  /** Per day of the period, oldest first; null: not counted. */
  now: (number | null)[];
  before: (number | null)[];
  /** The total, average or last value; null: nothing was counted. */
  value: number | null;
  /** As a share of the value of the period before; null: that one isn't known. */
  change: number | null;
}

const DAY_MS = 86_400_000;

/** `span` days as ISO dates, the last of which ends `today`, oldest first. */
export function daysUntil(todayMs: number, span: number): string[] {
  const today = Math.floor(todayMs / DAY_MS);
  return Array.from({ length: span }, (_, index) =>
    new Date((today - span + index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** @param todayMs its day isn't over, so it isn't in the period */
export function trendOf(days: readonly DayStats[], measure: Measure, todayMs: number, span: number): Trend {
  const byDay = new Map(days.map((one) => [one.day, one[measure]]));
  const all = daysUntil(todayMs, 2 * span).map((day) => byDay.get(day) ?? null);
  const before = all.slice(0, span);
  const now = all.slice(span);
  const value = VALUE_OF[measure](now);
  const earlier = isComparable(measure, now, before) ? VALUE_OF[measure](before) : null;
  const change = value === null || earlier === null || earlier === 0 ? null : value / earlier - 1;
  return { now, before, value, change };
}

/** A total needs each day, an average the first day of the period before, and storage the last one. */
function isComparable(measure: Measure, now: Trend["now"], before: Trend["before"]): boolean {
  if (VALUE_OF[measure] === sum) return ![...before, ...now].includes(null);
  return (measure === "fileBytes" ? before.at(-1) : before[0]) !== null;
}

type ValueOf = (values: readonly (number | null)[]) => number | null;

const counted = (values: readonly (number | null)[]) => values.filter((value) => value !== null);

const sum: ValueOf = (values) => {
  const all = counted(values);
  return all.length === 0 ? null : all.reduce((total, value) => total + value, 0);
};

const average: ValueOf = (values) => {
  const total = sum(values);
  return total === null ? null : total / counted(values).length;
};

const VALUE_OF: Record<Measure, ValueOf> = {
  messages: sum,
  newUsers: sum,
  activeUsers: average,
  fileBytes: (values) => counted(values).at(-1) ?? null,
};

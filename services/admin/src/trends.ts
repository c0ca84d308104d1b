import { type DayStats, LIMITS } from "@fanfare/contract";
import type { Handlers, NodeContext } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";
import { AROUND_MIDNIGHT_MS, COUNT_INTERVAL_MS, DAY_MS } from "./constants.ts";
import { dayOf, type DayStatsDocument, type DayStatsRepository } from "./day-stats.repository.ts";

export const trendActions = ({ dayStats }: AdminDependencies): Handlers => ({
  "admin.getTrends": async ({ params: { days } }) => {
    const today = startOfDay(Date.now());
    const found = await dayStats.list(daysBefore(today, days), today);
    return { days: found.map(presentDay) };
  },
});

function presentDay({ _id, messages, activeUsers, newUsers, fileBytes }: DayStatsDocument): DayStats {
  return {
    day: _id,
    messages: messages ?? null,
    activeUsers: activeUsers ?? null,
    newUsers: newUsers ?? null,
    fileBytes: fileBytes ?? null,
  };
}

/**
 * Counts each day once it is over, also days before this existed, since ids contain the creation time. The last use of a session and
 * the size of all files can only be measured as they are now, so they are counted every hour, and just before the day ends.
 * @returns starts the first count
 */
export function countDays(node: NodeContext, dayStats: DayStatsRepository): () => Promise<void> {
  const counts = node.jobs.define("admin.countDays", {
    everyMs: COUNT_INTERVAL_MS,
    run: async ({ signal }) => {
      await countDaysAt(node, dayStats, Date.now(), signal);
      return { againAt: nextCount(Date.now()) };
    },
  });
  return () => counts.enqueue("", null);
}

/**
 * An unavailable service, or a day that can't be counted, must not hide the other numbers.
 * @param nowMs milliseconds since the epoch
 * @throws the first failure, after everything else was counted
 */
export async function countDaysAt(
  { services }: Pick<NodeContext, "services">,
  dayStats: DayStatsRepository,
  nowMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const today = startOfDay(nowMs);
  const failures: unknown[] = [];
  const known = async <T>(counting: Promise<T>): Promise<T | undefined> => {
    try {
      return await counting;
    } catch (error) {
      failures.push(error);
      return undefined;
    }
  };
  const [users, files] = await Promise.all([
    known(services.user.countActive(periodFrom(today))),
    known(services.file.countBytes({})),
  ]);
  await dayStats.observe(today, { activeUsers: users?.activeUsers, fileBytes: files?.bytes });
  for (const day of await uncountedDays(dayStats, today, users?.firstAt ?? null)) {
    signal?.throwIfAborted();
    const sent = await known(services.message.countBetween(periodFrom(day)));
    const created = await known(services.user.countCreated(periodFrom(day)));
    if (sent !== undefined && created !== undefined)
      await dayStats.complete(day, { messages: sent.messages, newUsers: created.newUsers });
  }
  if (failures.length > 0) throw failures[0];
}

/** Days before today since the first user was created, as far as trends go back. */
async function uncountedDays(
  dayStats: DayStatsRepository,
  today: Date,
  firstAt: string | null,
): Promise<Date[]> {
  if (firstAt === null) return [];
  const oldest = daysBefore(today, LIMITS.trendMaxDays);
  const from = startOfDay(Math.max(oldest.getTime(), Date.parse(firstAt)));
  const found = await dayStats.list(from, today);
  const counted = new Set(found.filter(({ messages }) => messages !== undefined).map(({ _id }) => _id));
  const days: Date[] = [];
  for (let day = from; day < today; day = daysBefore(day, -1)) if (!counted.has(dayOf(day))) days.push(day);
  return days;
}

/** In an hour, but also just before and just after the end of each day. */
export function nextCount(nowMs: number): Date {
  const startMs = startOfDay(nowMs).getTime();
  const endMs = startMs + DAY_MS;
  const fixed = [startMs + AROUND_MIDNIGHT_MS, endMs - AROUND_MIDNIGHT_MS, endMs + AROUND_MIDNIGHT_MS];
  return new Date(Math.min(nowMs + COUNT_INTERVAL_MS, ...fixed.filter((atMs) => atMs > nowMs)));
}

function startOfDay(timeMs: number): Date {
  return new Date(Math.floor(timeMs / DAY_MS) * DAY_MS);
}

function daysBefore(day: Date, count: number): Date {
  return new Date(day.getTime() - count * DAY_MS);
}

function periodFrom(day: Date): { from: string; before: string } {
  return { from: day.toISOString(), before: daysBefore(day, -1).toISOString() };
}

import type { DayStats } from "@fanfare/contract";
import { defineRepository } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { DAY_MS, DAY_STATS_KEPT_DAYS } from "./constants.ts";

/** Absent counts are unknown. */
export interface DayStatsDocument extends Partial<Counts> {
  /** The day in UTC, such as 2026-11-30. */
  _id: string;
  startsAt: Date;
}

type Counts = { [K in Exclude<keyof DayStats, "day">]: number };

const schema = new Schema<DayStatsDocument>(
  {
    _id: { type: String, required: true },
    startsAt: { type: Date, required: true },
    messages: Number,
    newUsers: Number,
    activeUsers: Number,
    fileBytes: Number,
  },
  { collection: "dayStats" },
).index({ startsAt: 1 }, { name: "age", expireAfterSeconds: (DAY_STATS_KEPT_DAYS * DAY_MS) / 1000 });

/** The day in UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export type DayStatsRepository = ReturnType<typeof createDayStatsRepository>;

/** Queries of the collection dayStats. */
export const createDayStatsRepository = defineRepository(
  { name: "DayStats", schema, durable: false },
  ({ model: days }) => ({
    /** In order of time. */
    list: (from: Date, before: Date): Promise<DayStatsDocument[]> =>
      days
        .find({ _id: { $gte: dayOf(from), $lt: dayOf(before) } })
        .sort({ _id: 1 })
        .lean()
        .exec(),

    /** Stores what is counted when the day is over. */
    async complete(startsAt: Date, counts: Pick<Counts, "messages" | "newUsers">): Promise<void> {
      const change = { $set: { startsAt, ...counts } };
      await days.updateOne({ _id: dayOf(startsAt) }, change, { upsert: true });
    },

    /** Stores what can only be counted during the day; the last values stay, and never fewer active users than before. */
    async observe(
      startsAt: Date,
      { activeUsers, fileBytes }: Partial<Record<"activeUsers" | "fileBytes", number | undefined>>,
    ): Promise<void> {
      const change = {
        $set: { startsAt, ...(fileBytes !== undefined && { fileBytes }) },
        ...(activeUsers !== undefined && { $max: { activeUsers } }),
      };
      await days.updateOne({ _id: dayOf(startsAt) }, change, { upsert: true });
    },
  }),
);

import { defineRepository } from "@fanfare/kernel";
import { Types } from "mongoose";
import { channelCollection } from "./channel.model.ts";
import { COUNTER } from "./database.ts";

export type ActivityRepository = ReturnType<typeof createActivityRepository>;

/** The queries of the collection channels that note when something was last written. */
export const createActivityRepository = defineRepository(
  channelCollection,
  ({ model: channels, native }) => ({
    /** Those of the channels that are listed in the order of their activity. */
    async listedByActivity(channelIds: readonly string[]): Promise<Set<string>> {
      const found = await channels.find({ _id: { $in: channelIds } }, { kind: 1 }).lean();
      const listed = found.filter(({ kind }) => kind !== "text" && kind !== "section");
      return new Set(listed.map(({ _id }) => _id));
    },

    async note(times: ReadonlyMap<string, Date>): Promise<void> {
      const operations = [...times].map(([channelId, lastActivityAt]) => ({
        updateOne: { filter: { _id: new Types.ObjectId(channelId) }, update: { $max: { lastActivityAt } } },
      }));
      await native.bulkWrite(operations, { ordered: false, writeConcern: COUNTER });
    },
  }),
);

import type { WordFilter } from "@fanfare/contract";
import { duplicateKeyIndex } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import { wordFilterModel } from "./word-filter.model.ts";

export type WordFilterRepository = ReturnType<typeof createWordFilterRepository>;

/** Every query of the collection wordFilters. */
export function createWordFilterRepository(connection: Connection) {
  const filters = wordFilterModel(connection);
  return {
    find: (groupId: string) => filters.findById(groupId).lean(),

    /** @returns it with its new rev */
    async put(groupId: string, filter: WordFilter) {
      const write = () =>
        filters
          .findOneAndUpdate(
            { _id: groupId },
            { $set: filter, $inc: { rev: 1 } },
            { upsert: true, returnDocument: "after" },
          )
          .lean()
          .exec();
      return write().catch((error: unknown) => {
        // Two at once: the second finds what the first has made.
        if (duplicateKeyIndex(error) === null) throw error;
        return write();
      });
    },

    async remove(groupId: string): Promise<void> {
      await filters.deleteOne({ _id: groupId });
    },
  };
}

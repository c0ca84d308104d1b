import { duplicateKeyIndex } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import { INDEX_VERSION } from "./bounds.ts";
import { groupProgressModel } from "./group-progress.model.ts";

export type GroupProgressRepository = ReturnType<typeof createGroupProgressRepository>;

/** Every query of how far the threads of groups are indexed: all are by `_id`, the group's. */
export function createGroupProgressRepository(database: Connection) {
  const progress = groupProgressModel(database);
  return {
    /** null: nothing is indexed, or in an older way. */
    async find(groupId: string): Promise<string | null> {
      const found = await progress.findById(groupId).lean();
      return found?.version === INDEX_VERSION ? found.upTo : null;
    },

    async set(groupId: string, upTo: string): Promise<void> {
      const moved = { upTo, version: INDEX_VERSION, movedAt: new Date() };
      await progress
        .updateOne({ _id: groupId }, { $set: moved }, { upsert: true })
        // Another search has just made it: what it says holds as well.
        .catch((error: unknown) => {
          if (duplicateKeyIndex(error) === null) throw error;
        });
    },
  };
}

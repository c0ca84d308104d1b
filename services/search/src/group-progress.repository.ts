import { duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { GROUP_PROGRESS_LIFETIME_S, INDEX_VERSION } from "./bounds.ts";

/** How far the threads of a group are indexed: all in which nothing was written since. */
interface GroupProgressDocument {
  /** The group's id. */
  _id: Types.ObjectId;
  /** The cursor of a thread (`channel.listActiveThreads`). */
  upTo: string;
  version: number;
  movedAt: Date;
}

const schema = new Schema<GroupProgressDocument>(
  {
    upTo: { type: String, required: true },
    version: { type: Number, required: true },
    movedAt: { type: Date, required: true },
  },
  { collection: "searchGroupProgress", versionKey: false },
).index({ movedAt: 1 }, { expireAfterSeconds: GROUP_PROGRESS_LIFETIME_S });

function groupProgressModel(database: Connection): Model<GroupProgressDocument> {
  return database.model<GroupProgressDocument>("SearchGroupProgress", schema);
}

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

import type { WordFilter } from "@fanfare/contract";
import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";

/** Beside the group, which is read much more often. */
interface WordFilterDocument extends WordFilter {
  /** The group's. */
  _id: Types.ObjectId;
  rev: number;
}

const schema = new Schema<WordFilterDocument>(
  {
    _id: Schema.Types.ObjectId,
    rev: { type: Number, required: true },
    words: { type: [String], required: true },
    onHit: { type: String, required: true },
  },
  { collection: "wordFilters", writeConcern: DURABLE, versionKey: false },
);

function wordFilterModel(connection: Connection): Model<WordFilterDocument> {
  return connection.model<WordFilterDocument>("WordFilter", schema);
}

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

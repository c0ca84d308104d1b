import type { MessageRules, WordFilter } from "@fanfare/contract";
import { defineRepository, ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** Stored separately from the group, which is read much more often. */
interface WordFilterDocument extends Omit<WordFilter, "rules"> {
  /** The group id. */
  _id: string;
  rev: number;
  /** Older documents don't have this field. */
  rules?: MessageRules;
}

const schema = new Schema<WordFilterDocument>(
  {
    _id: ID,
    rev: { type: Number, required: true },
    words: { type: [String], required: true },
    onHit: { type: String, required: true },
    rules: Schema.Types.Mixed,
  },
  { collection: "wordFilters" },
);

/** Queries of the collection wordFilters. */
export const createWordFilterRepository = defineRepository(
  { name: "WordFilter", schema },
  ({ model: filters, remove }) => ({
    find: (groupId: string) => filters.findById(groupId).lean(),

    /** @returns the filter with its new rev */
    async put(groupId: string, filter: Omit<WordFilterDocument, "_id" | "rev">) {
      const change = { $set: filter, $inc: { rev: 1 } };
      const options = { upsert: true, returnDocument: "after" } as const;
      return filters.findOneAndUpdate({ _id: groupId }, change, options).lean();
    },

    remove: (groupId: string) => remove({ _id: groupId }),
  }),
);

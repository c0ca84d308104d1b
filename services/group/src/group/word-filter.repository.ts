import type { MessageRules, WordFilter } from "@fanfare/contract";
import { defineRepository, ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface StoredWordFilter extends Omit<WordFilter, "rules"> {
  /** Older documents don't have this field. */
  rules?: MessageRules;
}

/** Stored separately from the group, which is read much more often. */
interface WordFilterDocument extends StoredWordFilter {
  /** The group id. */
  _id: string;
  rev: number;
}

export const NO_RULES: MessageRules = { links: null, mentions: null, repeats: null, newAccounts: null };
export const NO_FILTER: WordFilter = { words: [], onHit: "block", rules: NO_RULES };

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

    /**
     * Only changes what is given, so that concurrent changes are all kept.
     * @returns the filter with its new rev
     */
    async change(groupId: string, changes: Partial<StoredWordFilter>): Promise<WordFilterDocument> {
      const others = Object.entries(NO_FILTER).filter(([name]) => !(name in changes));
      const change = { $set: changes, $setOnInsert: Object.fromEntries(others), $inc: { rev: 1 } };
      const options = { upsert: true, returnDocument: "after" } as const;
      return filters.findOneAndUpdate({ _id: groupId }, change, options).lean();
    },

    remove: (groupId: string) => remove({ _id: groupId }),
  }),
);

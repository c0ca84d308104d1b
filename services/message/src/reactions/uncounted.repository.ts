import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { READ_TIMEOUT_MS } from "../bounds.ts";
import { within } from "../database.ts";

/** A message whose reactions have to be counted again. Kept until that is done, even if a process dies. */
interface UncountedDocument {
  /** The message's id. */
  _id: string;
  channelId: string;
  /** New with every change. */
  token: string;
  since: Date;
}

const schema = new Schema<UncountedDocument>(
  {
    channelId: REQUIRED_ID,
    token: { type: String, required: true },
    since: { type: Date, required: true },
  },
  { collection: "uncountedReactions" },
).index({ since: 1 });

export type UncountedRepository = ReturnType<typeof createUncountedRepository>;

/** Every query of the notes about messages whose reactions are to be counted. */
export const createUncountedRepository = defineRepository(
  { name: "UncountedReactions", schema },
  ({ model: notes, remove }) => ({
    /** Durable when it is answered. @param token a new one, so that a count that had begun before does not remove the note */
    async note(channelId: string, messageId: string, token: string): Promise<void> {
      const noted = notes.updateOne(
        { _id: messageId },
        { $set: { token, since: new Date() }, $setOnInsert: { channelId } },
        { upsert: true },
      );
      await within(READ_TIMEOUT_MS, noted);
    },

    async find(messageId: string): Promise<UncountedDocument | null> {
      return within(READ_TIMEOUT_MS, notes.findById(messageId).lean());
    },

    delete: (messageId: string, token: string) => remove({ _id: messageId, token }),

    /** The longest waiting first. */
    async findBefore(before: Date, limit: number): Promise<UncountedDocument[]> {
      return notes
        .find({ since: { $lt: before } })
        .sort({ since: 1 })
        .limit(limit)
        .lean();
    },
  }),
);

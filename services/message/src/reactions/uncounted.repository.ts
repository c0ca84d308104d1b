import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { inTime } from "../database.ts";

/** Marks a message whose reactions must be counted again. Stored until that is done, even if a process dies. */
interface UncountedDocument {
  /** The message id. */
  _id: string;
  channelId: string;
  /** Changes with every mark. */
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

/** Queries of the marks for messages to be counted. */
export const createUncountedRepository = defineRepository(
  { name: "UncountedReactions", schema },
  ({ model: notes, remove }) => ({
    /** Durable. @param token a new one, so that a count that began earlier doesn't remove the mark */
    async note(channelId: string, messageId: string, token: string): Promise<void> {
      const noted = notes.updateOne(
        { _id: messageId },
        { $set: { token, since: new Date() }, $setOnInsert: { channelId } },
        { upsert: true },
      );
      await inTime(noted);
    },

    async find(messageId: string): Promise<UncountedDocument | null> {
      return inTime(notes.findById(messageId).lean());
    },

    delete: (messageId: string, token: string) => remove({ _id: messageId, token }),

    /** Oldest first. */
    async findBefore(before: Date, limit: number): Promise<UncountedDocument[]> {
      return notes
        .find({ since: { $lt: before } })
        .sort({ since: 1 })
        .limit(limit)
        .lean();
    },
  }),
);

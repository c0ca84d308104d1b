import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { DURABLE_WRITE, inTime } from "./message.model.ts";

/** A text that a message had before an edit. */
interface MessageEditDocument {
  _id: string;
  channelId: string;
  messageId: string;
  /** How many times the message had been edited at that point. */
  version: number;
  content: string;
  writtenAt: Date;
  /** The message was deleted, but a legal hold keeps it. */
  held?: true;
}

const schema = new Schema<MessageEditDocument>(
  {
    channelId: REQUIRED_ID,
    messageId: REQUIRED_ID,
    version: { type: Number, required: true },
    content: { type: String, default: "" },
    writtenAt: { type: Date, required: true },
    held: Boolean,
  },
  { collection: "messageEdits" },
)
  .index({ messageId: 1, version: 1 }, { unique: true, name: "message_version" })
  .index({ channelId: 1 }, { name: "channel" });

export type MessageEditRepository = ReturnType<typeof createMessageEditRepository>;

const NOT_HELD = { held: { $ne: true } } as const;

/** Queries of the former texts of messages. Only `release` deletes held ones. */
export const createMessageEditRepository = defineRepository(
  { name: "MessageEdit", schema },
  ({ model: edits, removeSome, removeAll, updateAll }) => ({
    /** Durable. Storing the same version again changes nothing. */
    async keep(edit: Omit<MessageEditDocument, "_id">): Promise<void> {
      const { messageId, version, ...rest } = edit;
      const kept = edits.updateOne({ messageId, version }, { $setOnInsert: rest }, { upsert: true });
      await inTime(kept);
    },

    /** Versions below `before`, newest first. */
    async list(messageId: string, before: number, limit: number): Promise<MessageEditDocument[]> {
      const found = edits
        .find({ messageId, version: { $lt: before } })
        .sort({ version: -1 })
        .limit(limit)
        .readConcern(DURABLE_WRITE)
        .lean();
      return inTime(found);
    },

    /** @returns the number of deleted entries: fewer than `limit` when none are left */
    deleteSome: (channelId: string, limit: number) => removeSome({ channelId, ...NOT_HELD }, limit),

    deleteOfMany: (messageIds: readonly string[]) =>
      removeAll({ messageId: { $in: messageIds }, ...NOT_HELD }),

    deleteOf: (messageId: string) => removeAll({ messageId, ...NOT_HELD }),

    hold: (messageIds: readonly string[]) =>
      updateAll({ messageId: { $in: messageIds } }, { $set: { held: true } }),

    /** @param deletedIds those of the messages that are deleted; the others keep their former texts */
    async release(messageIds: readonly string[], deletedIds: readonly string[]): Promise<void> {
      await removeAll({ messageId: { $in: deletedIds } });
      await updateAll({ messageId: { $in: messageIds } }, { $unset: { held: 1 } });
    },
  }),
);

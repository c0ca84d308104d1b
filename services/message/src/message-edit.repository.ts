import { defineRepository, REQUIRED_ID, unlessDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { READ_TIMEOUT_MS } from "./bounds.ts";
import { LASTING, within } from "./database.ts";

/** A text that a message had before it was edited. */
interface MessageEditDocument {
  _id: string;
  channelId: string;
  messageId: string;
  /** How often the message had been edited by then. */
  version: number;
  content: string;
  writtenAt: Date;
}

const schema = new Schema<MessageEditDocument>(
  {
    channelId: REQUIRED_ID,
    messageId: REQUIRED_ID,
    version: { type: Number, required: true },
    content: { type: String, default: "" },
    writtenAt: { type: Date, required: true },
  },
  { collection: "messageEdits" },
)
  .index({ messageId: 1, version: 1 }, { unique: true, name: "message_version" })
  .index({ channelId: 1 }, { name: "channel" });

export type MessageEditRepository = ReturnType<typeof createMessageEditRepository>;

/** Every query of the former texts of messages. */
export const createMessageEditRepository = defineRepository(
  { name: "MessageEdit", schema },
  ({ model: edits, removeSome, removeAll }) => ({
    /** Durable when it is answered; the same version again changes nothing. */
    async keep(edit: Omit<MessageEditDocument, "_id">): Promise<void> {
      const { messageId, version, ...rest } = edit;
      const kept = edits.updateOne({ messageId, version }, { $setOnInsert: rest }, { upsert: true });
      await within(READ_TIMEOUT_MS, unlessDuplicate(kept));
    },

    /** Versions below `before`, newest first. */
    async list(messageId: string, before: number, limit: number): Promise<MessageEditDocument[]> {
      const found = edits
        .find({ messageId, version: { $lt: before } })
        .sort({ version: -1 })
        .limit(limit)
        .readConcern(LASTING)
        .lean();
      return within(READ_TIMEOUT_MS, found);
    },

    /** @returns how many were deleted: fewer than `limit` when none is left */
    deleteSome: (channelId: string, limit: number) => removeSome({ channelId }, limit),

    deleteOfMany: (messageIds: readonly string[]) => removeAll({ messageId: { $in: messageIds } }),

    deleteOf: (messageId: string) => removeAll({ messageId }),
  }),
);

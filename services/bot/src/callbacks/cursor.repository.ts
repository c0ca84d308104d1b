import type { Head } from "@fanfare/contract";
import { defineRepository } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** How far the changes of a channel were delivered to a callback. */
interface CursorDocument {
  /** `<callback>:<channel>` */
  _id: string;
  callbackId: string;
  botId: string;
  channelId: string;
  rev: number;
  seq: number;
}

const schema = new Schema<CursorDocument>(
  {
    _id: { type: String, required: true },
    callbackId: { type: String, required: true },
    botId: { type: String, required: true },
    channelId: { type: String, required: true },
    rev: { type: Number, required: true },
    seq: { type: Number, required: true },
  },
  { collection: "botCursors" },
);
schema.index({ callbackId: 1 });
schema.index({ botId: 1 });
schema.index({ channelId: 1 });

export type Cursor = Omit<CursorDocument, "_id">;
export type CursorRepository = ReturnType<typeof createCursorRepository>;

const idOf = ({ callbackId, channelId }: Pick<Cursor, "callbackId" | "channelId">): string =>
  `${callbackId}:${channelId}`;

/** Queries of the collection botCursors. */
export const createCursorRepository = defineRepository(
  { name: "BotCursor", schema },
  ({ model: cursors, update, removeAll }) => ({
    list: (callbackId: string) => cursors.find({ callbackId }).lean<CursorDocument[]>(),

    /** An existing cursor is not changed. */
    async begin(cursor: Cursor): Promise<void> {
      await cursors.updateOne({ _id: idOf(cursor) }, { $setOnInsert: cursor }, { upsert: true });
    },

    /** Never moves back. */
    advance: (cursor: Cursor, { rev, seq }: Head) => update({ _id: idOf(cursor) }, { $max: { rev, seq } }),

    removeOf: (callbackId: string) => removeAll({ callbackId }),
    removeOfBot: (botId: string) => removeAll({ botId }),
    removeOfChannels: (channelIds: readonly string[]) => removeAll({ channelId: { $in: channelIds } }),
  }),
);

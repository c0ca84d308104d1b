import type { Head } from "@fanfare/contract";
import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model } from "mongoose";

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
  { collection: "botCursors", writeConcern: DURABLE, versionKey: false },
);
schema.index({ callbackId: 1 });
schema.index({ botId: 1 });
schema.index({ channelId: 1 });

function cursorModel(connection: Connection): Model<CursorDocument> {
  return connection.model<CursorDocument>("BotCursor", schema);
}

export type Cursor = Omit<CursorDocument, "_id">;
export type CursorRepository = ReturnType<typeof createCursorRepository>;

/** Queries of the collection botCursors. */
export function createCursorRepository(connection: Connection) {
  const cursors = cursorModel(connection);
  const idOf = ({ callbackId, channelId }: Pick<Cursor, "callbackId" | "channelId">): string =>
    `${callbackId}:${channelId}`;
  return {
    list: (callbackId: string) => cursors.find({ callbackId }).lean<CursorDocument[]>(),

    /** An existing cursor is not changed. */
    async begin(cursor: Cursor): Promise<void> {
      await cursors.updateOne({ _id: idOf(cursor) }, { $setOnInsert: cursor }, { upsert: true });
    },

    /** Never moves back. */
    async advance(cursor: Cursor, { rev, seq }: Head): Promise<void> {
      await cursors.updateOne({ _id: idOf(cursor) }, { $max: { rev, seq } });
    },

    async removeOfBot(botId: string): Promise<void> {
      await cursors.deleteMany({ botId });
    },

    async removeOfChannels(channelIds: readonly string[]): Promise<void> {
      await cursors.deleteMany({ channelId: { $in: channelIds } });
    },
  };
}

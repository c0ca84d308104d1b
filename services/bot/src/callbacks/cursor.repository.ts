import type { Head } from "@fanfare/contract";
import type { Connection } from "mongoose";
import { cursorModel, type CursorDocument } from "./cursor.model.ts";

export type Cursor = Omit<CursorDocument, "_id">;
export type CursorRepository = ReturnType<typeof createCursorRepository>;

/** Every query of the collection botCursors. */
export function createCursorRepository(connection: Connection) {
  const cursors = cursorModel(connection);
  const idOf = ({ callbackId, channelId }: Pick<Cursor, "callbackId" | "channelId">): string =>
    `${callbackId}:${channelId}`;
  return {
    list: (callbackId: string) => cursors.find({ callbackId }).lean<CursorDocument[]>(),

    /** Where there is one already it stays. */
    async begin(cursor: Cursor): Promise<void> {
      await cursors.updateOne({ _id: idOf(cursor) }, { $setOnInsert: cursor }, { upsert: true });
    },

    /** Never back. */
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

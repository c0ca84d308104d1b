import type { Head, Invocation } from "@fanfare/contract";
import { defineRepository } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { INVOCATION_LIFETIME_S } from "../constants.ts";

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

const cursorSchema = new Schema<CursorDocument>(
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
cursorSchema.index({ callbackId: 1 });
cursorSchema.index({ botId: 1 });
cursorSchema.index({ channelId: 1 });

export type Cursor = Omit<CursorDocument, "_id">;
export type CursorRepository = ReturnType<typeof createCursorRepository>;

const idOf = ({ callbackId, channelId }: Pick<Cursor, "callbackId" | "channelId">): string =>
  `${callbackId}:${channelId}`;

/** Queries of the collection botCursors. */
export const createCursorRepository = defineRepository(
  { name: "BotCursor", schema: cursorSchema },
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

/** An invocation of a command that has not been delivered yet. */
interface InvocationDocument {
  _id: string;
  botId: string;
  invocation: Invocation;
  createdAt: Date;
}

const invocationSchema = new Schema<InvocationDocument>(
  {
    _id: { type: String, required: true },
    botId: { type: String, required: true },
    invocation: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: "botInvocations" },
);
invocationSchema.index({ botId: 1, _id: 1 });
invocationSchema.index({ createdAt: 1 }, { expireAfterSeconds: INVOCATION_LIFETIME_S });

export type InvocationRepository = ReturnType<typeof createInvocationRepository>;

/** Queries of the collection botInvocations. */
export const createInvocationRepository = defineRepository(
  { name: "BotInvocation", schema: invocationSchema },
  ({ model: invocations, insert, remove, removeAll }) => ({
    async add(invocation: Invocation): Promise<void> {
      const { id, botId } = invocation;
      await insert({ _id: id, botId, invocation, createdAt: new Date() });
    },

    count: (botId: string, max: number) => invocations.countDocuments({ botId }, { limit: max }),

    /** Oldest first. */
    async list(botId: string, limit: number): Promise<Invocation[]> {
      const found = await invocations.find({ botId }).sort({ botId: 1, _id: 1 }).limit(limit).lean();
      return found.map(({ invocation }) => invocation);
    },

    remove: (id: string) => remove({ _id: id }),
    removeOfBot: (botId: string) => removeAll({ botId }),
  }),
);

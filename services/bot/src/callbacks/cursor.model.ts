import { Schema, type Connection, type Model } from "mongoose";
import { DURABLE } from "../bot.model.ts";

/** Up to where a callback has been told of a channel. */
export interface CursorDocument {
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

export function cursorModel(connection: Connection): Model<CursorDocument> {
  return connection.model<CursorDocument>("BotCursor", schema);
}

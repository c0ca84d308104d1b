import type { Invocation } from "@fanfare/contract";
import { Schema, type Connection, type Model } from "mongoose";
import { DURABLE } from "../bot.model.ts";
import { INVOCATION_LIFETIME_S } from "../bounds.ts";

/** An invocation that is still to be told by callback. */
export interface InvocationDocument {
  _id: string;
  botId: string;
  invocation: Invocation;
  createdAt: Date;
}

const schema = new Schema<InvocationDocument>(
  {
    _id: { type: String, required: true },
    botId: { type: String, required: true },
    invocation: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: "botInvocations", writeConcern: DURABLE, versionKey: false },
);
schema.index({ botId: 1, _id: 1 });
schema.index({ createdAt: 1 }, { expireAfterSeconds: INVOCATION_LIFETIME_S });

export function invocationModel(connection: Connection): Model<InvocationDocument> {
  return connection.model<InvocationDocument>("BotInvocation", schema);
}

import type { BotEvent, BotScope } from "@fanfare/contract";
import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";

/** A bot's HTTP callback for events. */
export interface Callback {
  /** Identifies the subscription; a new one starts without progress. */
  id: string;
  url: string;
  sealedSecret: string;
  events: BotEvent[];
  since: Date;
  isDisabled: boolean;
  failures: number;
  lastError: string | null;
}

export interface BotDocument {
  /** The id of the bot's user. */
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  name: string;
  scopes: BotScope[];
  tokenHash: string;
  sessionId: string;
  /** The holder of the token, initially the creator. */
  createdBy: Types.ObjectId;
  createdAt: Date;
  /** When the holder revoked the token; absent while a token is valid. */
  revokedAt?: Date;
  callback?: Callback;
}

const schema = new Schema<BotDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true },
    scopes: { type: [String], required: true },
    tokenHash: { type: String, required: true },
    sessionId: { type: String, required: true },
    createdBy: { type: Schema.Types.ObjectId, required: true },
    createdAt: { type: Date, required: true },
    revokedAt: Date,
    callback: Schema.Types.Mixed,
  },
  { collection: "bots", writeConcern: DURABLE, versionKey: false },
);
schema.index({ groupId: 1, _id: 1 });
schema.index({ createdBy: 1, _id: 1 });

export function botModel(connection: Connection): Model<BotDocument> {
  return connection.model<BotDocument>("Bot", schema);
}

import type { BotEvent, BotScope } from "@fanfare/contract";
import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model, type Types } from "mongoose";

/** Where a bot is told by HTTP of what happens. */
export interface Callback {
  /** Of this subscription; a new one starts from the beginning. */
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
  /** Its user's. */
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  name: string;
  scopes: BotScope[];
  tokenHash: string;
  sessionId: string;
  /** Who has its token: at first its maker. */
  createdBy: Types.ObjectId;
  createdAt: Date;
  /** When the holder revoked the token; absent while there is a token that works. */
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

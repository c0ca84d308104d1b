import type { Reach } from "@fanfare/contract";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./friendship.model.ts";

/** Who may reach a user. Whoever has none lets everybody do so. */
export interface ReachDocument extends Reach {
  /** The user's. */
  _id: Types.ObjectId;
}

const schema = new Schema<ReachDocument>(
  { _id: Schema.Types.ObjectId, requestsFrom: String, directFrom: String },
  { collection: "reaches", writeConcern: DURABLE, versionKey: false },
);

export function reachModel(connection: Connection): Model<ReachDocument> {
  return connection.model<ReachDocument>("Reach", schema);
}

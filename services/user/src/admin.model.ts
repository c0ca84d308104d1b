import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./user.model.ts";

/** The admins of this instance: one document, so that "not the last one" and "only the first one" are one operation. */
export interface AdminsDocument {
  _id: "admins";
  userIds: Types.ObjectId[];
  /** When the first one was noted, which is just before that account is stored. */
  claimedAt: Date;
}

const schema = new Schema<AdminsDocument>(
  {
    _id: { type: String, required: true },
    userIds: [Schema.Types.ObjectId],
    claimedAt: { type: Date, required: true },
  },
  { collection: "admins", writeConcern: DURABLE, versionKey: false },
);

export function adminModel(connection: Connection): Model<AdminsDocument> {
  return connection.model<AdminsDocument>("Admins", schema);
}

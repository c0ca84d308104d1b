import { Schema, type Connection, type Model } from "mongoose";
import { DURABLE } from "./user.model.ts";

export interface SetupTokenDocument {
  /** SHA-256 of the token: a reader of the database cannot use it. */
  _id: string;
  expiresAt: Date;
}

const setupTokenSchema = new Schema<SetupTokenDocument>(
  {
    _id: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: "setupTokens", writeConcern: DURABLE, versionKey: false },
);
// Cleans up only: every reader compares the times itself.
setupTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export function setupTokenModel(connection: Connection): Model<SetupTokenDocument> {
  return connection.model<SetupTokenDocument>("SetupToken", setupTokenSchema);
}

import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./user.model.ts";

/** What a mailed link is good for. */
export type MailedPurpose = "resetPassword" | "verifyEmail";

export interface MailedTokenDocument {
  /** SHA-256 of the token: who reads the database can open no link. */
  _id: string;
  userId: Types.ObjectId;
  purpose: MailedPurpose;
  /**
   * Where it was sent; absent where an admin passes it on. A link that went to an address that is no longer the account's must not
   * open it.
   */
  email?: string;
  expiresAt: Date;
}

const mailedTokenSchema = new Schema<MailedTokenDocument>(
  {
    _id: { type: String, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    purpose: { type: String, enum: ["resetPassword", "verifyEmail"], required: true },
    email: String,
    expiresAt: { type: Date, required: true },
  },
  { collection: "mailedTokens", writeConcern: DURABLE, versionKey: false },
);
mailedTokenSchema.index({ userId: 1, purpose: 1 });
// Cleans up only: every reader compares the times itself.
mailedTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export function mailedTokenModel(connection: Connection): Model<MailedTokenDocument> {
  return connection.model<MailedTokenDocument>("MailedToken", mailedTokenSchema);
}

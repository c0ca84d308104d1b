import { defineRepository, hashSecret, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** What a mailed link is good for. */
export type MailedPurpose = "resetPassword" | "verifyEmail";

interface MailedTokenDocument {
  /** SHA-256 of the token: who reads the database can open no link. */
  _id: string;
  userId: string;
  purpose: MailedPurpose;
  /**
   * Where it was sent; absent where an admin passes it on. A link that went to an address that is no longer the account's must not
   * open it.
   */
  email?: string;
  expiresAt: Date;
}

const schema = new Schema<MailedTokenDocument>(
  {
    _id: { type: String, required: true },
    userId: REQUIRED_ID,
    purpose: { type: String, enum: ["resetPassword", "verifyEmail"], required: true },
    email: String,
    expiresAt: { type: Date, required: true },
  },
  { collection: "mailedTokens" },
);
schema.index({ userId: 1, purpose: 1 });
// Cleans up only: every reader compares the times itself.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type MailedTokenRepository = ReturnType<typeof createMailedTokenRepository>;

/** Every query of the collection mailedTokens. */
export const createMailedTokenRepository = defineRepository(
  { name: "MailedToken", schema },
  ({ model: tokens, insert, removeAll }) => {
    const valid = (token: string, purpose: MailedPurpose) => ({
      _id: hashSecret(token),
      purpose,
      expiresAt: { $gt: new Date() },
    });
    return {
      insert,

      find: (token: string, purpose: MailedPurpose) => tokens.findOne(valid(token, purpose)).lean(),

      /** Uses it up: of several at once one gets it. */
      take: (token: string, purpose: MailedPurpose) => tokens.findOneAndDelete(valid(token, purpose)).lean(),

      removeAll: (userId: string, purposes: readonly MailedPurpose[]) =>
        removeAll({ userId, purpose: { $in: purposes } }),
    };
  },
);

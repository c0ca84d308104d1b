import { defineRepository, hashSecret, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** What a link in an email does. */
export type MailedPurpose = "resetPassword" | "verifyEmail";

interface MailedTokenDocument {
  /** SHA-256 of the token, so that tokens can't be used by readers of the database. */
  _id: string;
  userId: string;
  purpose: MailedPurpose;
  /** The recipient; absent when an admin passes the link on. Links to an address that the account no longer has are invalid. */
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
// Only for cleanup: readers compare the time themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type MailedTokenRepository = ReturnType<typeof createMailedTokenRepository>;

/** Queries of the collection mailedTokens. */
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

      /** Consumes the token: of concurrent calls one gets it. */
      take: (token: string, purpose: MailedPurpose) => tokens.findOneAndDelete(valid(token, purpose)).lean(),

      removeAll: (userId: string, purposes: readonly MailedPurpose[]) =>
        removeAll({ userId, purpose: { $in: purposes } }),
    };
  },
);

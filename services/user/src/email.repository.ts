import { defineRepository, hashSecret, ID, newSecret } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** What a link in an email does. */
export type MailedPurpose = "resetPassword" | "verifyEmail";
export type TokenPurpose = MailedPurpose | "setUp" | "logInWithPasskey" | `addPasskey ${string}`;

interface Recipient {
  userId: string;
  /** Absent when an admin passes the link on. Links to an address that the account no longer has are invalid. */
  email?: string | undefined;
}

/** The other tokens aren't for one user. */
type RecipientOf<P extends TokenPurpose> = P extends MailedPurpose ? Recipient : object;

interface OneTimeTokenDocument extends Partial<Recipient> {
  /** SHA-256 of the token, so that tokens can't be used by readers of the database. */
  _id: string;
  purpose: TokenPurpose;
  expiresAt: Date;
}

const schema = new Schema<OneTimeTokenDocument>(
  {
    _id: { type: String, required: true },
    userId: ID,
    purpose: { type: String, required: true },
    email: String,
    expiresAt: { type: Date, required: true },
  },
  // Named when it only had those: a new name would void the links that were sent before an upgrade.
  { collection: "mailedTokens" },
);
schema.index({ userId: 1, purpose: 1 });
// Only for cleanup: readers compare the time themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type OneTimeTokenRepository = ReturnType<typeof createOneTimeTokenRepository>;

/** Queries of the collection mailedTokens: links in emails, setup links and challenges for passkeys. */
export const createOneTimeTokenRepository = defineRepository(
  { name: "OneTimeToken", schema },
  ({ model: tokens, insert, removeAll }) => {
    const valid = (token: string, purpose: TokenPurpose) => ({
      _id: hashSecret(token),
      purpose,
      expiresAt: { $gt: new Date() },
    });
    return {
      /** @returns a random token, only valid for this purpose */
      async make<P extends TokenPurpose>(
        purpose: P,
        lifetimeMs: number,
        recipient: RecipientOf<P>,
      ): Promise<string> {
        const token = newSecret();
        const expiresAt = new Date(Date.now() + lifetimeMs);
        await insert({ ...recipient, _id: hashSecret(token), purpose, expiresAt });
        return token;
      },

      find: <P extends TokenPurpose>(token: string, purpose: P) =>
        tokens.findOne(valid(token, purpose)).lean<RecipientOf<P>>().exec(),

      /** Consumes the token: of concurrent calls one gets it. */
      take: <P extends TokenPurpose>(token: string, purpose: P) =>
        tokens.findOneAndDelete(valid(token, purpose)).lean<RecipientOf<P>>().exec(),

      removeAll: (userId: string, purposes: readonly MailedPurpose[]) =>
        removeAll({ userId, purpose: { $in: purposes } }),
    };
  },
);

/** Addresses get another owner, and mail servers are repaired. */
const REMEMBER_MS = 30 * 24 * 60 * 60 * 1000;

/** An address that a mail server has refused. */
interface RefusedAddressDocument {
  /** SHA-256 of the address in lower case: it can belong to someone who has never used this server. */
  _id: string;
  refusedAt: Date;
}

const refusedSchema = new Schema<RefusedAddressDocument>(
  { _id: { type: String, required: true }, refusedAt: { type: Date, required: true } },
  { collection: "refusedAddresses" },
);
refusedSchema.index({ refusedAt: 1 }, { expireAfterSeconds: REMEMBER_MS / 1000 });

/** Queries of the collection refusedAddresses. */
export const createRefusedAddressRepository = defineRepository(
  { name: "RefusedAddress", schema: refusedSchema },
  ({ model: refused, listIds }) => {
    const idOf = (email: string): string => hashSecret(email.toLowerCase());
    return {
      async add(email: string): Promise<void> {
        const change = { $set: { refusedAt: new Date() } };
        await refused.updateOne({ _id: idOf(email) }, change, { upsert: true });
      },

      /** @returns those that a mail server has refused */
      async filter(emails: readonly string[]): Promise<Set<string>> {
        const ids = new Set(await listIds({ _id: { $in: emails.map(idOf) } }));
        return new Set(emails.filter((email) => ids.has(idOf(email))));
      },
    };
  },
);

import { defineRepository, hashSecret } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** Addresses get another owner, and mail servers are repaired. */
const REMEMBER_MS = 30 * 24 * 60 * 60 * 1000;

/** An address that a mail server has refused. */
interface RefusedAddressDocument {
  /** SHA-256 of the address in lower case: it can belong to someone who has never used this server. */
  _id: string;
  refusedAt: Date;
}

const schema = new Schema<RefusedAddressDocument>(
  { _id: { type: String, required: true }, refusedAt: { type: Date, required: true } },
  { collection: "refusedAddresses" },
);
schema.index({ refusedAt: 1 }, { expireAfterSeconds: REMEMBER_MS / 1000 });

/** Queries of the collection refusedAddresses. */
export const createRefusedAddressRepository = defineRepository(
  { name: "RefusedAddress", schema },
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

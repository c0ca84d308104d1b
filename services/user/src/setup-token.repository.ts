import { LIMITS } from "@fanfare/contract";
import { defineRepository, hashSecret, newSecret } from "@fanfare/kernel";
import { Schema } from "mongoose";

interface SetupTokenDocument {
  /** SHA-256 of the token, so that it can't be used by readers of the database. */
  _id: string;
  expiresAt: Date;
}

const schema = new Schema<SetupTokenDocument>(
  {
    _id: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: "setupTokens" },
);
// Only for cleanup: readers compare the time themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type SetupTokenRepository = ReturnType<typeof createSetupTokenRepository>;

/** Queries of the collection setupTokens. */
export const createSetupTokenRepository = defineRepository(
  { name: "SetupToken", schema },
  ({ model: tokens, insert }) => ({
    async make(): Promise<string> {
      const token = newSecret();
      const expiresAt = new Date(Date.now() + LIMITS.setupLinkLifetimeMs);
      await insert({ _id: hashSecret(token), expiresAt });
      return token;
    },

    async isValid(token: string): Promise<boolean> {
      const found = await tokens.findOne({ _id: hashSecret(token), expiresAt: { $gt: new Date() } }).lean();
      return found !== null;
    },
  }),
);

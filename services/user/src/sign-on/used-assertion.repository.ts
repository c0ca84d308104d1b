import { defineRepository, nullIfDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";

interface UsedAssertionDocument {
  /** Hash of the provider's and the assertion's id. */
  _id: string;
  expiresAt: Date;
}

const schema = new Schema<UsedAssertionDocument>(
  { _id: { type: String, required: true }, expiresAt: { type: Date, required: true } },
  { collection: "usedAssertions" },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Queries of the collection usedAssertions: SAML logins that can't be used again. */
export const createUsedAssertionRepository = defineRepository(
  { name: "UsedAssertion", schema },
  ({ insert }) => ({
    /**
     * @param lifetimeMs how long the request that the assertion answers can be used
     * @returns false when it was used before
     */
    async add(assertionId: string, lifetimeMs: number): Promise<boolean> {
      const expiresAt = new Date(Date.now() + lifetimeMs);
      return (await nullIfDuplicate(insert({ _id: assertionId, expiresAt }))) !== null;
    },
  }),
);

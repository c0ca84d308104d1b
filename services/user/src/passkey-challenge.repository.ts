import { LIMITS } from "@fanfare/contract";
import { defineRepository, hashSecret, newSecret } from "@fanfare/kernel";
import { Schema } from "mongoose";

interface PasskeyChallengeDocument {
  /** SHA-256 of the challenge and of what it is for. */
  _id: string;
  expiresAt: Date;
}

const schema = new Schema<PasskeyChallengeDocument>(
  { _id: { type: String, required: true }, expiresAt: { type: Date, required: true } },
  { collection: "passkeyChallenges" },
);
// Only for cleanup: readers compare the time themselves.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const idOf = (challenge: string, purpose: string): string => hashSecret(`${challenge} ${purpose}`);

export type PasskeyChallengeRepository = ReturnType<typeof createPasskeyChallengeRepository>;

/** Queries of the collection passkeyChallenges. */
export const createPasskeyChallengeRepository = defineRepository(
  { name: "PasskeyChallenge", schema },
  ({ model: challenges, insert }) => ({
    /** @returns a random challenge, only valid for this purpose */
    async make(purpose: string): Promise<string> {
      const challenge = newSecret();
      const expiresAt = new Date(Date.now() + LIMITS.passkeyChallengeLifetimeMs);
      await insert({ _id: idOf(challenge, purpose), expiresAt });
      return challenge;
    },

    /** Consumes the challenge: of concurrent calls one gets true. */
    async take(challenge: string, purpose: string): Promise<boolean> {
      const valid = { _id: idOf(challenge, purpose), expiresAt: { $gt: new Date() } };
      return (await challenges.findOneAndDelete(valid).lean()) !== null;
    },
  }),
);

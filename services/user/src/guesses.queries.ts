import type { Model } from "mongoose";
import type { UserDocument } from "./user.model.ts";

export interface GuessLimit {
  /** Where they are counted. */
  field: "totpGuesses" | "passwordGuesses";
  max: number;
  windowMs: number;
}

/** The queries of the collection users that count what somebody tries, however many processes and addresses it comes to. */
export function createGuessQueries(users: Model<UserDocument>) {
  return {
    /** Before a guess is looked at, so that many at once are not more than so many. false: there have been too many. */
    async countGuess(userId: string, { field, max, windowMs }: GuessLimit, now: Date): Promise<boolean> {
      const endsAt = new Date(now.getTime() + windowMs);
      await users.updateOne(
        { _id: userId, $or: [{ [field]: { $exists: false } }, { [`${field}.endsAt`]: { $lte: now } }] },
        { $set: { [field]: { count: 0, endsAt } } },
      );
      const result = await users.updateOne(
        { _id: userId, [`${field}.count`]: { $lt: max } },
        { $inc: { [`${field}.count`]: 1 } },
      );
      return result.matchedCount === 1;
    },

    /** Who was right begins anew. */
    async forgetGuesses(userId: string, field: GuessLimit["field"]): Promise<void> {
      await users.updateOne({ _id: userId }, { $unset: { [field]: 1 } });
    },
  };
}

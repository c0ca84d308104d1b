import type { Collection } from "@fanfare/kernel";
import type { Totp, UserDocument } from "./user.model.ts";

/** The queries of the collection users that are about the second factor. */
export function createTotpQueries({ change, update }: Collection<UserDocument>) {
  return {
    /** @returns false when it is on, or the password is no longer the one that the caller has verified */
    setPendingTotp: (userId: string, passwordHash: string | undefined, sealed: string) =>
      update(
        { _id: userId, totp: { $exists: false }, passwordHash: passwordHash ?? { $exists: false } },
        { $set: { totpPending: sealed } },
      ),

    /** @returns null when it is on, or there is another than `pending` since */
    enableTotp: (userId: string, pending: string, totp: Totp) =>
      change(
        { _id: userId, totpPending: pending, totp: { $exists: false } },
        { $set: { totp }, $unset: { totpPending: 1, totpGuesses: 1 } },
      ),

    /** @param secret as it is stored */
    disableTotp: (userId: string, secret: string) =>
      change({ _id: userId, "totp.secret": secret }, { $unset: { totp: 1, totpGuesses: 1 } }),

    /** Off, whatever it was; null: there is no such user. */
    removeTotp: (userId: string) =>
      change(
        { _id: userId, deletedAt: { $exists: false } },
        { $unset: { totp: 1, totpPending: 1, totpGuesses: 1 } },
      ),

    /**
     * @param secret as it is stored, and as it is to be stored
     * @returns false when this code, or a later one, was used before
     */
    useTotpStep: (userId: string, secret: { from: string; to: string }, step: number) =>
      update(
        { _id: userId, "totp.secret": secret.from, "totp.lastStep": { $lt: step } },
        { $set: { "totp.lastStep": step, "totp.secret": secret.to }, $unset: { totpGuesses: 1 } },
      ),

    /** false when there is none, or no longer. */
    useRecoveryCode: (userId: string, hash: string) =>
      update(
        { _id: userId, "totp.recoveryHashes": hash },
        { $pull: { "totp.recoveryHashes": hash }, $unset: { totpGuesses: 1 } },
      ),
  };
}

export interface GuessLimit {
  /** Where they are counted. */
  field: "totpGuesses" | "passwordGuesses";
  max: number;
  windowMs: number;
}

/** How often counting begins again because another request has reset the count. */
const COUNT_TRIES = 10;

/** The queries of the collection users that count failed attempts across processes and addresses. */
export function createGuessQueries({ model: users, update }: Collection<UserDocument>) {
  return {
    /** Before a guess is looked at, so that many at once are not more than so many. false: there have been too many. */
    async countGuess(userId: string, { field, max, windowMs }: GuessLimit, now: Date): Promise<boolean> {
      const endsAt = new Date(now.getTime() + windowMs);
      const count = `${field}.count`;
      for (let tries = 1; tries <= COUNT_TRIES; tries += 1) {
        await users.updateOne(
          { _id: userId, $or: [{ [field]: { $exists: false } }, { [`${field}.endsAt`]: { $lte: now } }] },
          { $set: { [field]: { count: 0, endsAt } } },
        );
        const result = await users.updateOne(
          { _id: userId, [count]: { $lt: max } },
          { $inc: { [count]: 1 } },
        );
        if (result.matchedCount === 1) return true;
        // Otherwise a correct attempt of another request has reset the count in between.
        if ((await users.exists({ _id: userId, [count]: { $gte: max } })) !== null) return false;
      }
      return false;
    },

    /** A correct attempt resets the count. */
    forgetGuesses: (userId: string, field: GuessLimit["field"]) =>
      update({ _id: userId }, { $unset: { [field]: 1 } }),
  };
}

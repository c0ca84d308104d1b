import { LIMITS } from "@fanfare/contract";
import type { Collection } from "@fanfare/kernel";
import type { StoredPasskey, Totp, UserDocument } from "./user.model.ts";

/** Queries of the collection users about the second factor. */
export function createTotpQueries({ change, update }: Collection<UserDocument>) {
  return {
    /** @returns false when it is already on, or the password has changed since the caller verified it */
    setPendingTotp: (userId: string, passwordHash: string | undefined, sealed: string) =>
      update(
        { _id: userId, totp: { $exists: false }, passwordHash: passwordHash ?? { $exists: false } },
        { $set: { totpPending: sealed } },
      ),

    /** @returns null when it is already on, or `pending` was replaced */
    enableTotp: (userId: string, pending: string, totp: Totp) =>
      change(
        { _id: userId, totpPending: pending, totp: { $exists: false } },
        { $set: { totp }, $unset: { totpPending: 1, totpGuesses: 1 } },
      ),

    /** @param secret as stored */
    disableTotp: (userId: string, secret: string) =>
      change({ _id: userId, "totp.secret": secret }, { $unset: { totp: 1, totpGuesses: 1 } }),

    /** Removes all factors besides the password, unconditionally. @returns null when the user doesn't exist */
    removeFactors: (userId: string) =>
      change(
        { _id: userId, deletedAt: { $exists: false } },
        { $unset: { totp: 1, totpPending: 1, totpGuesses: 1, passkeys: 1 } },
      ),

    /**
     * @param secret the stored value and its replacement
     * @returns false when this code, or a later one, was used before
     */
    useTotpStep: (userId: string, secret: { from: string; to: string }, step: number) =>
      update(
        { _id: userId, "totp.secret": secret.from, "totp.lastStep": { $lt: step } },
        { $set: { "totp.lastStep": step, "totp.secret": secret.to }, $unset: { totpGuesses: 1 } },
      ),

    /** @returns false when the code doesn't exist or was used */
    useRecoveryCode: (userId: string, hash: string) =>
      update(
        { _id: userId, "totp.recoveryHashes": hash },
        { $pull: { "totp.recoveryHashes": hash }, $unset: { totpGuesses: 1 } },
      ),
  };
}

/** Exists only if the limit is reached. */
const LAST_PASSKEY = `passkeys.${LIMITS.passkeysPerUser - 1}`;

/** Queries of the collection users about passkeys. */
export function createPasskeyQueries({ change, update }: Collection<UserDocument>) {
  return {
    /** @returns null when the password has changed since, the passkey exists, or there are too many */
    addPasskey: (userId: string, passwordHash: string, passkey: StoredPasskey) =>
      change(
        {
          _id: userId,
          passwordHash,
          "passkeys.credentialId": { $ne: passkey.credentialId },
          [LAST_PASSKEY]: { $exists: false },
        },
        { $push: { passkeys: passkey } },
      ),

    /** @returns false when it was removed, or another login has used it at the same time */
    usePasskey: (userId: string, { credentialId, counter }: StoredPasskey, newCounter: number, now: Date) =>
      update(
        { _id: userId, passkeys: { $elemMatch: { credentialId, counter } } },
        { $set: { "passkeys.$.counter": newCounter, "passkeys.$.lastUsedAt": now } },
      ),

    /** @returns false when it doesn't exist */
    renamePasskey: (userId: string, credentialId: string, name: string) =>
      update({ _id: userId, "passkeys.credentialId": credentialId }, { $set: { "passkeys.$.name": name } }),

    /** @returns null when it doesn't exist */
    removePasskey: (userId: string, credentialId: string) =>
      change(
        { _id: userId, "passkeys.credentialId": credentialId },
        { $pull: { passkeys: { credentialId } } },
      ),
  };
}

export interface GuessLimit {
  /** The field that contains the counter. */
  field: "totpGuesses" | "passwordGuesses";
  max: number;
  windowMs: number;
}

/** Counting is retried when another request resets the counter in the meantime. */
const COUNT_TRIES = 10;

/** Queries of the collection users that count failed attempts across processes and client addresses. */
export function createGuessQueries({ model: users, update }: Collection<UserDocument>) {
  return {
    /**
     * Call this before checking a guess, so that concurrent guesses can't exceed the limit.
     * @returns false after too many guesses
     */
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
        // Otherwise a correct attempt of another request has just reset the counter.
        if ((await users.exists({ _id: userId, [count]: { $gte: max } })) !== null) return false;
      }
      return false;
    },

    /** Call this after a correct attempt. */
    forgetGuesses: (userId: string, field: GuessLimit["field"]) =>
      update({ _id: userId }, { $unset: { [field]: 1 } }),
  };
}

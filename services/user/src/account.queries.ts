import type { Collection } from "@fanfare/kernel";
import type { UserDocument } from "./user.model.ts";

const AFTER = { returnDocument: "after" } as const;
const WITHOUT_EMAIL = { $unset: { email: 1, emailLower: 1, emailClaimedAt: 1 } } as const;

/** The queries of the collection users that are about what opens an account: addresses, passwords, OIDC. */
export function createAccountQueries({ model: users, change }: Collection<UserDocument>) {
  return {
    /** null when the password is no longer the one that the caller has verified. */
    replacePasswordHash: (userId: string, oldHash: string, passwordHash: string) =>
      change({ _id: userId, passwordHash: oldHash }, { $set: { passwordHash } }),

    /**
     * @param email undefined: an admin has passed the link on, which says nothing about the address
     * @returns null when the address is no longer the account's, or not verified
     */
    resetPassword: (userId: string, email: string | undefined, passwordHash: string, unlink: boolean) =>
      change(
        {
          _id: userId,
          deletedAt: null,
          ...(email !== undefined && {
            emailLower: email.toLowerCase(),
            emailVerifiedAt: { $exists: true },
          }),
        },
        { $set: { passwordHash }, $unset: { passwordGuesses: 1, ...(unlink && { oidcKey: 1 as const }) } },
      ),

    /**
     * Sets the password of an account whose address was never verified, and verifies the address: the reader of its mails has just
     * shown that it is theirs. The account may have been created by another person, who could still log in with what they set up, so the
     * same write removes all of that.
     * @returns null when the address is no longer the account's, or verified already
     */
    takeOverUnverified: (userId: string, email: string, passwordHash: string) =>
      change(
        { _id: userId, emailLower: email.toLowerCase(), emailVerifiedAt: { $exists: false } },
        {
          $set: { passwordHash, emailVerifiedAt: new Date() },
          $unset: {
            emailClaimedAt: 1,
            oidcKey: 1,
            totp: 1,
            totpPending: 1,
            totpGuesses: 1,
            passwordGuesses: 1,
          },
        },
      ),

    /** @returns the user as it was before; a duplicate key where another account has verified the address */
    setVerifiedEmail: (userId: string, email: string) =>
      users
        .findOneAndUpdate(
          { _id: userId },
          {
            $set: { email, emailLower: email.toLowerCase(), emailVerifiedAt: new Date() },
            $unset: { emailClaimedAt: 1 },
          },
          { returnDocument: "before" },
        )
        .lean(),

    /**
     * Removes an address from an account that has not verified it.
     * @param exceptUserId the account that may keep it
     * @returns the account that had it, without it; null where there is none
     */
    releaseUnverifiedEmail: (email: string, exceptUserId?: string) =>
      change(
        {
          emailLower: email.toLowerCase(),
          emailVerifiedAt: { $exists: false },
          ...(exceptUserId !== undefined && { _id: { $ne: exceptUserId } }),
        },
        WITHOUT_EMAIL,
      ),

    /** @returns the account without its unverified address that it has had the longest; null where none has had one since before */
    releaseOldestUnverifiedEmail: (before: Date) =>
      users
        .findOneAndUpdate(
          { emailClaimedAt: { $lt: before }, emailVerifiedAt: { $exists: false } },
          WITHOUT_EMAIL,
          {
            ...AFTER,
            sort: { emailClaimedAt: 1 },
          },
        )
        .lean(),

    findByOidcKey: (oidcKey: string) => users.findOne({ oidcKey }).lean(),

    /** null when the account no longer has this address, verified, or is connected to another identity. */
    linkVerified: (userId: string, emailLower: string, oidcKey: string) =>
      change(
        {
          _id: userId,
          emailLower,
          emailVerifiedAt: { $exists: true },
          $or: [{ oidcKey: { $exists: false } }, { oidcKey }],
        },
        { $set: { oidcKey } },
      ),

    /**
     * @param oidcKey null disconnects; a duplicate key error if it belongs to another account
     * @returns null when the password is no longer the one that the caller has verified
     */
    setOidcKey: (userId: string, passwordHash: string, oidcKey: string | null) =>
      change(
        { _id: userId, passwordHash },
        oidcKey === null ? { $unset: { oidcKey: 1 } } : { $set: { oidcKey } },
      ),
  };
}

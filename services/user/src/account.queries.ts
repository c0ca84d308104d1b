import type { Model } from "mongoose";
import type { UserDocument } from "./user.model.ts";

const AFTER = { returnDocument: "after" } as const;

/** The queries of the collection users that are about what opens an account: addresses, passwords, OIDC. */
export function createAccountQueries(users: Model<UserDocument>) {
  return {
    /** null when the password is no longer the one that the caller has verified. */
    replacePasswordHash: (userId: string, oldHash: string, passwordHash: string) =>
      users
        .findOneAndUpdate({ _id: userId, passwordHash: oldHash }, { $set: { passwordHash } }, AFTER)
        .lean(),

    /**
     * Who has read a mail to the address has verified it too.
     * @returns null when it is no longer the account's
     */
    resetPassword: (userId: string, email: string, passwordHash: string) =>
      users
        .findOneAndUpdate(
          { _id: userId, emailLower: email.toLowerCase() },
          { $set: { passwordHash, emailVerifiedAt: new Date() } },
          AFTER,
        )
        .lean(),

    /** @returns the user as it was before; a duplicate key where somebody else has the address */
    setVerifiedEmail: (userId: string, email: string) =>
      users
        .findOneAndUpdate(
          { _id: userId },
          { $set: { email, emailLower: email.toLowerCase(), emailVerifiedAt: new Date() } },
          { returnDocument: "before" },
        )
        .lean(),

    findByOidcKey: (oidcKey: string) => users.findOne({ oidcKey }).lean(),

    /** null when the account no longer has this address, verified, or has somebody else's identity. */
    linkVerified: (userId: string, emailLower: string, oidcKey: string) =>
      users
        .findOneAndUpdate(
          {
            _id: userId,
            emailLower,
            emailVerifiedAt: { $exists: true },
            $or: [{ oidcKey: { $exists: false } }, { oidcKey }],
          },
          { $set: { oidcKey } },
          AFTER,
        )
        .lean(),

    /**
     * @param oidcKey null: nobody; a duplicate key where it is another account's
     * @returns null when the password is no longer the one that the caller has verified
     */
    setOidcKey: (userId: string, passwordHash: string, oidcKey: string | null) =>
      users
        .findOneAndUpdate(
          { _id: userId, passwordHash },
          oidcKey === null ? { $unset: { oidcKey: 1 } } : { $set: { oidcKey } },
          AFTER,
        )
        .lean(),
  };
}

import type { Collection } from "@fanfare/kernel";
import { DEFAULT_PROVIDER } from "@fanfare/kernel";
import type { QueryFilter } from "mongoose";
import { type ExternalKey, type OidcLink, storedIdentity, storedLinks } from "./external-logins.ts";
import type { UserDocument } from "./user.model.ts";

const AFTER = { returnDocument: "after" } as const;
/** Everything that a user can sign in with, apart from the address. */
export const CREDENTIALS = {
  passwordHash: 1,
  passwordGuesses: 1,
  totp: 1,
  totpPending: 1,
  totpGuesses: 1,
  passkeys: 1,
  oidcKey: 1,
  oidcLogins: 1,
  ldapKey: 1,
} as const;
const { passwordHash: _, ...OTHER_CREDENTIALS } = CREDENTIALS;
const WITHOUT_EMAIL = { $unset: { email: 1, emailLower: 1, emailClaimedAt: 1 } } as const;

/** Queries of the collection users about ways to sign in: addresses, passwords, OIDC, LDAP. */
export function createAccountQueries({ model: users, change }: Collection<UserDocument>) {
  const link = (filter: QueryFilter<UserDocument>, { provider, key }: ExternalKey) => {
    if (provider === null || provider === DEFAULT_PROVIDER) {
      const field = provider === null ? "ldapKey" : "oidcKey";
      const free = [{ [field]: { $exists: false } }, { [field]: key }];
      return change({ ...filter, $or: free }, { $set: storedIdentity({ provider, key }) });
    }
    const free = [{ "oidcLogins.provider": { $ne: provider } }, { "oidcLogins.key": key }];
    return change({ ...filter, $or: free }, { $addToSet: { oidcLogins: { provider, key } } });
  };

  return {
    /** @returns null when the password has changed since the caller verified it */
    replacePasswordHash: (userId: string, oldHash: string, passwordHash: string, removePasskeys: boolean) =>
      change(
        { _id: userId, passwordHash: oldHash },
        { $set: { passwordHash }, ...(removePasskeys && { $unset: { passkeys: 1 as const } }) },
      ),

    /**
     * @param email undefined when an admin passed the link on, which doesn't verify the address
     * @returns null when the account no longer has this address, or has not verified it
     */
    resetPassword: (
      userId: string,
      email: string | undefined,
      passwordHash: string,
      removeOtherSignIns: boolean,
    ) =>
      change(
        {
          _id: userId,
          deletedAt: null,
          ...(email !== undefined && {
            emailLower: email.toLowerCase(),
            emailVerifiedAt: { $exists: true },
          }),
        },
        {
          $set: { passwordHash },
          $unset: {
            passwordGuesses: 1,
            ...(removeOtherSignIns && {
              oidcKey: 1 as const,
              oidcLogins: 1 as const,
              ldapKey: 1 as const,
              passkeys: 1 as const,
            }),
          },
        },
      ),

    /**
     * Sets the password of an account whose address was never verified, and verifies the address: opening the link proves
     * ownership. The account may have been created by someone else who could still log in, so the same write removes all their
     * credentials.
     * @returns null when the account no longer has this address, or has already verified it
     */
    takeOverUnverified: (userId: string, email: string, passwordHash: string) =>
      change(
        { _id: userId, emailLower: email.toLowerCase(), emailVerifiedAt: { $exists: false } },
        {
          $set: { passwordHash, emailVerifiedAt: new Date() },
          $unset: { emailClaimedAt: 1, ...OTHER_CREDENTIALS },
        },
      ),

    /** @returns the user before the change; a duplicate key error when another account has verified the address */
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

    /** Gives an account back what `releaseUnverifiedEmail` has removed. @returns a duplicate key error when another has it */
    returnUnverifiedEmail: (userId: string, email: string) =>
      change(
        { _id: userId, deletedAt: null, emailLower: { $exists: false } },
        { $set: { email, emailLower: email.toLowerCase(), emailClaimedAt: new Date() } },
      ),

    /**
     * Removes an address from an account that has not verified it.
     * @param exceptUserId an account that keeps it
     * @returns the changed account, or null when no other account had it
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

    /** @returns the changed account, which had its unverified address the longest; null when none has had one since `before` */
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

    findByIdentity: ({ provider, key }: ExternalKey) =>
      users
        .findOne(
          provider === null ? { ldapKey: key } : { $or: [{ oidcKey: key }, { "oidcLogins.key": key }] },
        )
        .lean(),

    /** @returns null when the account no longer has this verified address, or is linked to another identity of the same provider */
    linkVerified: (userId: string, emailLower: string, identity: ExternalKey) =>
      link({ _id: userId, emailLower, emailVerifiedAt: { $exists: true } }, identity),

    /** @returns null when the account no longer has this id at the provider, or is linked to another identity there */
    linkProvisioned: (userId: string, externalId: string, identity: ExternalKey) =>
      link({ _id: userId, "scim.externalId": externalId }, identity),

    /**
     * @param user whose password the caller has verified
     * @returns null when the password or the links have changed since; a duplicate key error if one belongs to another account
     */
    setOidcLinks({ _id, passwordHash, oidcKey, oidcLogins }: UserDocument, links: readonly OidcLink[]) {
      const absent = { $exists: false };
      const stored = storedLinks(links);
      return change(
        {
          _id,
          passwordHash: passwordHash ?? absent,
          oidcKey: oidcKey ?? absent,
          oidcLogins: oidcLogins ?? absent,
        },
        {
          $set: stored,
          $unset: {
            ...(stored.oidcKey === undefined && { oidcKey: 1 as const }),
            ...(stored.oidcLogins === undefined && { oidcLogins: 1 as const }),
          },
        },
      );
    },
  };
}

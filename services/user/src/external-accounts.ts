import { randomInt } from "node:crypto";
import { duplicateKeyIndex, type NodeContext, serviceError, toServiceError } from "@fanfare/kernel";
import { ACTIONS, LIMITS, type Services } from "@fanfare/contract";
import type { AccountMails } from "./mails.ts";
import type { Admins } from "./admins.ts";
import { type AllUsersRepository, newAccount, type UserRepository } from "./user.repository.ts";
import {
  type ExternalKey,
  hasIdentity,
  hasLoginAt,
  storedIdentity,
  withCurrentProvider,
} from "./external-logins.ts";
import { assertAllowedDomain, assertBelowUserLimit, assertCanRegister } from "./registration.policy.ts";
import type { InvitedAccounts } from "./erasures.ts";
import type { ProvisionedAdmins } from "./provisioned-groups.ts";
import { takeEmail } from "./registration.ts";
import { hasNoSignIn } from "./session.policy.ts";
import { EMAIL_INDEX, type UserDocument, USERNAME_INDEX } from "./user.model.ts";

/** Number of usernames tried when they are taken. */
export const MAX_USERNAMES_TRIED = 8;

/** Suggestions only: neither trusted nor unique. */
interface Names {
  username: string | undefined;
  nickname: string | undefined;
}

/** A user's identity at an OIDC provider or in an LDAP directory, and what is known of them there. */
export interface ExternalIdentity extends ExternalKey {
  /** Only set if it is verified there. */
  email: string | null;
  /** Whether the user is an admin there; absent if that isn't decided there. */
  isAdmin?: boolean | undefined;
  /** What the provider can have sent as the user's `externalId` by SCIM. */
  externalIds?: string[];
  names: Names;
}

interface Dependencies {
  node: Pick<NodeContext, "publish" | "policy" | "logger">;
  users: UserRepository;
  allUsers: AllUsersRepository;
  admins: Admins;
  accountMails: AccountMails;
  invitedAccounts: InvitedAccounts;
  provisionedAdmins: ProvisionedAdmins;
}

/** Finds or creates the account of a user who has logged in at a provider. */
export function createExternalAccounts({
  node,
  users,
  allUsers,
  admins,
  accountMails,
  invitedAccounts,
  provisionedAdmins,
}: Dependencies) {
  const make = async (
    identity: ExternalIdentity,
    isAgain: boolean,
    inviteCode: string | undefined,
  ): Promise<UserDocument> => {
    const email = emailOf(identity);
    // Before the address of another account is released, because a rejected login must change nothing.
    const policy = await node.policy.get();
    // The operator's filter decides who in the directory gets an account, so registration can be closed to all others.
    if (identity.provider === null) assertAllowedDomain(policy, email);
    else assertCanRegister(policy, { email, inviteCode });
    await assertBelowUserLimit(policy, allUsers);
    if (inviteCode !== undefined) await invitedAccounts.check(inviteCode);
    const username = usernameFor(identity, isAgain);
    const nickname = nicknameFor(identity, username);
    const account = newAccount({ username, nickname });
    const user: UserDocument = {
      ...account,
      ...(email !== null && { email, emailLower: email.toLowerCase(), emailVerifiedAt: account.createdAt }),
      ...storedIdentity(identity),
    };
    const userId = user._id;
    // The provider has verified the address; the other account never has.
    const stored = await takeEmail({ node, users }, { email }, () =>
      admins.withFirst(userId, async (isFirst) => {
        const made: UserDocument = isFirst ? { ...user, admin: true } : user;
        await users.insert(made);
        return made;
      }),
    );
    if (inviteCode !== undefined) await invitedAccounts.joinOrDelete(userId, inviteCode);
    return stored;
  };

  const create = async (
    identity: ExternalIdentity,
    inviteCode: string | undefined,
  ): Promise<UserDocument> => {
    for (let attempt = 0; attempt < MAX_USERNAMES_TRIED; attempt += 1) {
      try {
        return await make(identity, attempt > 0, inviteCode);
      } catch (error) {
        const index = duplicateKeyIndex(error);
        if (index === null) throw error;
        // Concurrent logins of the same user also collide on username and address.
        const other = await users.findByIdentity(identity);
        if (other !== null) return other;
        if (index === EMAIL_INDEX) throw serviceError("EMAIL_TAKEN");
        if (index !== USERNAME_INDEX) throw error;
      }
    }
    throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
  };

  const link = async (identity: ExternalIdentity, found: UserDocument): Promise<UserDocument> => {
    if (hasIdentity(found, identity)) {
      const links = withCurrentProvider(found, identity);
      // null: another login has changed them.
      return (links && (await users.setOidcLinks(found, links))) ?? found;
    }
    const linked = await (isProvisionedAs(found, identity)
      ? users.linkProvisioned(found._id, found.scim!.externalId!, identity)
      : users.linkVerified(found._id, found.emailLower!, identity));
    if (linked === null) throw serviceError("EMAIL_TAKEN");
    // The first login of an account that the provider has created is no surprise.
    if (found.scim !== undefined && hasNoSignIn(found)) return linked;
    await accountMails.notify(linked, identity.provider === null ? "ldapLinked" : "oidcLinked");
    return linked;
  };

  /** Makes the user an admin, or takes the role away, as decided at the provider. A change that isn't possible is logged. */
  const followAdmin = async (
    { provider, isAdmin }: ExternalIdentity,
    user: UserDocument,
    services: Services,
  ): Promise<UserDocument> => {
    // The login of a disabled account is rejected.
    if (isAdmin === undefined || isAdmin === (user.admin === true) || user.disabledAt !== undefined)
      return user;
    if (await provisionedAdmins.decide(provider)) return user;
    const change = { userId: user._id, admin: isAdmin, provider: provider ?? "LDAP" };
    try {
      await services.admin.followProvider(change);
    } catch (error) {
      const { type } = toServiceError(error);
      if (type !== "LAST_ADMIN" && type !== "LIMIT_REACHED") throw error;
      node.logger.warn({ ...change, error: type }, "admin role not changed");
    }
    return (await users.find(user._id)) ?? user;
  };

  return {
    /**
     * Finds the account of this identity, or the one that its provider has created by SCIM. An account with the same email address
     * is only used if both sides have verified it. Otherwise an attacker could prepare an account with the address of a victim, or
     * claim the address of an account at the provider. An account that never verified the address loses it in `settle`.
     * @returns null when there is none
     * @throws {ServiceError} EMAIL_TAKEN
     */
    async find(identity: ExternalIdentity): Promise<UserDocument | null> {
      const known = await users.findByIdentity(identity);
      if (known !== null) return known;
      const email = emailOf(identity);
      const provisioned = await users.findByExternalId(identity.externalIds ?? []);
      const same = provisioned ?? (email === null ? null : await users.findByEmail(email));
      // Linked a moment ago by a concurrent login of the same user.
      if (same === null || hasIdentity(same, identity)) return same;
      if (provisioned === null && same.emailVerifiedAt === undefined) return null;
      if (hasLoginAt(same, identity.provider)) throw serviceError("EMAIL_TAKEN");
      return same;
    },

    /**
     * Creates the account, or links the identity to the one that `find` returned. Also updates whether the user is an admin.
     * @param login whose `inviteCode` is used if an account is created
     * @throws {ServiceError} EMAIL_TAKEN, REGISTRATION_CLOSED, INVITE_REQUIRED, INVITE_NOT_FOUND, EMAIL_DOMAIN_NOT_ALLOWED,
     *   LIMIT_REACHED
     */
    async settle(
      identity: ExternalIdentity,
      found: UserDocument | null,
      { services, inviteCode }: { services: Services; inviteCode?: string | undefined },
    ): Promise<UserDocument> {
      const user = await (found === null ? create(identity, inviteCode) : link(identity, found));
      return followAdmin(identity, user, services);
    },
  };
}

const isProvisionedAs = ({ scim }: UserDocument, { externalIds = [] }: ExternalIdentity): boolean =>
  scim?.externalId !== undefined && externalIds.includes(scim.externalId);

const {
  username: usernameSchema,
  nickname: nicknameSchema,
  email: emailSchema,
} = ACTIONS["user.register"].params.shape;
const NOT_IN_USERNAMES = /[^A-Za-z0-9_.-]/g;
const FALLBACK = "user";
const DIGITS = 5;

/**
 * Derives a valid username from the one at the provider.
 * @param isAgain the plain name is taken: append digits
 */
export function usernameFor({ names }: { names: Pick<Names, "username"> }, isAgain: boolean): string {
  const cleaned = (names.username ?? "").replaceAll(NOT_IN_USERNAMES, "");
  const base = usernameSchema.safeParse(cleaned.slice(0, LIMITS.usernameMaxChars)).data ?? FALLBACK;
  if (!isAgain && base !== FALLBACK) return base;
  return `${base.slice(0, LIMITS.usernameMaxChars - DIGITS)}${randomInt(10 ** (DIGITS - 1), 10 ** DIGITS)}`;
}

export function nicknameFor({ names }: { names: Pick<Names, "nickname"> }, username: string): string {
  // Don't cut a surrogate pair in half.
  const cut = (names.nickname ?? "").slice(0, LIMITS.nicknameMaxChars).replace(/[\ud800-\udbff]$/, "");
  return nicknameSchema.safeParse(cut).data ?? username;
}

/** @returns null when it isn't a valid email address */
export function emailOf({ email }: Pick<ExternalIdentity, "email">): string | null {
  return emailSchema.safeParse(email ?? undefined).data ?? null;
}

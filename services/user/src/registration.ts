import { randomInt } from "node:crypto";
import {
  duplicateKeyIndex,
  type Handlers,
  newId,
  type NodeContext,
  nullIfDuplicate,
  serviceError,
  withoutDeadline,
} from "@fanfare/kernel";
import type { SessionTokens } from "@fanfare/contract";
import { isInvitedAddress } from "./mails.ts";
import { assertCanRegister, assertPasswordsAccepted, assertBelowUserLimit } from "./registration.policy.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import { EMAIL_INDEX, type UserDocument, USERNAME_INDEX } from "./user.model.ts";
import { newAccount, type UserRepository } from "./user.repository.ts";
import { mustVerifyFirst } from "./session.policy.ts";
import { presentAdminUser, publishAccount, publishProfile } from "./user.presenter.ts";

/** The names and addresses of a new account. */
interface Names {
  /** The unverified address of the account. */
  email: string | undefined;
  /** An address that another account has not verified either: the first to open its link gets it. */
  contestedEmail: string | undefined;
}

export const registrationActions = ({
  node,
  users,
  allUsers,
  admins,
  sessions,
  passwords,
  accountMails,
  invitedAccounts,
}: UserDependencies): Handlers => ({
  "user.register": async ({ params, client }) => {
    const { username, password, nickname = username, locale, inviteCode } = params;
    const policy = await node.policy.get();
    assertPasswordsAccepted(policy);
    assertCanRegister(policy, params);
    await assertBelowUserLimit(policy, allUsers);
    if (inviteCode !== undefined) await invitedAccounts.check(inviteCode);
    const { email, contestedEmail } = await assertNotTaken(users, params, accountMails.canSend);
    const verified = isInvitedAddress(node, params) ? params.email : undefined;
    const passwordHash = await passwords.hash(password, { username, nickname, email: params.email });
    const account = newAccount({ username, email: verified ?? email, passwordHash, nickname, locale });
    const user: UserDocument = {
      ...account,
      ...(verified !== undefined && { emailVerifiedAt: account.createdAt }),
      ...(policy.mailDomains.length > 0 && { mustVerifyEmail: true }),
    };
    const stored = await takeEmail({ node, users }, { email: verified }, () =>
      admins.withFirst(user._id, async (isFirst) => {
        const made: UserDocument = isFirst ? { ...user, admin: true } : user;
        await users.insert(made).catch(rethrowTaken);
        return made;
      }),
    );
    if (inviteCode !== undefined) await invitedAccounts.joinOrDelete(stored._id, inviteCode);
    // Before the session, which can't be opened if the address must be verified first.
    if (verified === undefined) await accountMails.welcome(stored, contestedEmail ?? email, client);
    return sessions.open(stored, client);
  },

  "user.createGuest": async ({ params, client }) => {
    const policy = await node.policy.get();
    if (!policy.guests) throw serviceError("GUESTS_DISABLED");
    await assertBelowUserLimit(policy, allUsers);
    const createdAt = new Date();
    const user: UserDocument = {
      _id: newId(),
      nickname: params.nickname ?? `Guest ${randomInt(1000, 10_000)}`,
      avatarUrl: null,
      kind: "guest",
      createdAt,
      seenAt: createdAt,
    };
    // In parallel: a session whose user was never stored is useless and expires.
    const [tokens] = await Promise.all([sessions.open(user, client), users.insert(user)]);
    return tokens;
  },

  "user.claimGuest": async ({ params, actor, client }) => {
    // The token can be older than a claim by another session, so the document decides.
    const guest = await users.find(actor.userId);
    if (guest?.kind !== "guest") throw serviceError("NOT_A_GUEST");
    const policy = await node.policy.get();
    assertPasswordsAccepted(policy);
    assertCanRegister(policy, params);
    const { username, password, locale, inviteCode } = params;
    if (inviteCode !== undefined) await invitedAccounts.check(inviteCode);
    const { email, contestedEmail } = await assertNotTaken(users, params, accountMails.canSend);
    const passwordHash = await passwords.hash(password, {
      username,
      nickname: guest.nickname,
      email: params.email,
    });
    // Guests can join too, so nothing needs to be undone if the claim fails.
    if (inviteCode !== undefined) await invitedAccounts.join(actor.userId, inviteCode);
    const user = await admins.withFirst(actor.userId, async (isFirst) => {
      const credentials = {
        username,
        email,
        passwordHash,
        nickname: guest.nickname,
        locale,
        mustVerifyEmail: policy.mailDomains.length > 0,
      };
      const claimed = await users.claimGuest(actor.userId, credentials, isFirst).catch(rethrowTaken);
      if (claimed === null) throw serviceError("NOT_A_GUEST");
      return claimed;
    });
    const finish = async (): Promise<SessionTokens> => {
      // First, so that no session of the guest remains if a later step fails.
      const tokens = mustVerifyFirst(user) ? null : await sessions.continueAlone(user, actor.sessionId);
      if (tokens === null) await sessions.endAll(actor.userId);
      await accountMails.welcome(user, contestedEmail ?? email, client);
      publishProfile(node, user);
      if (tokens === null) throw serviceError("EMAIL_NOT_VERIFIED");
      return tokens;
    };
    // The guest is now an account, so the rest must complete.
    return withoutDeadline(finish);
  },

  /** For the operator; works at any time, not just for the first account. */
  "user.createAdmin": async ({ params: { username, password } }) => {
    await assertNotTaken(users, { username }, false);
    const passwordHash = await passwords.hash(password, { username });
    const user = newAccount({ username, passwordHash });
    const userId = user._id;
    await admins.withFirst(userId, (isFirst) =>
      users.insert(isFirst ? { ...user, admin: true } : user).catch(rethrowTaken),
    );
    await admins.grant(userId);
    return { user: presentAdminUser({ ...user, admin: true }) };
  },
});

/**
 * Avoids a password hash for names that are already taken. The unique indexes have the final say.
 * @param canVerify whether emails are sent: otherwise the first claim to an address stands
 * @throws {ServiceError} USERNAME_TAKEN or EMAIL_TAKEN
 */
export async function assertNotTaken(
  users: UserRepository,
  { username, email }: { username: string; email?: string | undefined },
  canVerify: boolean,
): Promise<Names> {
  const [byName, byEmail] = await Promise.all([
    users.findByUsername(username),
    email === undefined ? null : users.findByEmail(email),
  ]);
  if (byName !== null) throw serviceError("USERNAME_TAKEN");
  if (byEmail === null) return { email, contestedEmail: undefined };
  if (!canVerify || byEmail.emailVerifiedAt !== undefined) throw serviceError("EMAIL_TAKEN");
  return { email: undefined, contestedEmail: email };
}

/** Maps a duplicate key error to the contract's error and rethrows any other. */
export function rethrowTaken(error: unknown): never {
  const index = duplicateKeyIndex(error);
  if (index === USERNAME_INDEX) throw serviceError("USERNAME_TAKEN");
  if (index === EMAIL_INDEX) throw serviceError("EMAIL_TAKEN");
  throw error;
}

/**
 * Runs `store`, which gives a verified address to an account. Another account that has not verified the address loses it, unless
 * `store` fails.
 * @param userId the account, if it exists already
 */
export async function takeEmail<T>(
  { node, users }: { node: Pick<NodeContext, "publish">; users: UserRepository },
  { email, userId }: { email: string | null | undefined; userId?: string },
  store: () => Promise<T>,
): Promise<T> {
  const displaced = email == null ? null : await users.releaseUnverifiedEmail(email, userId);
  if (email == null || displaced === null) return store();
  try {
    const stored = await store();
    publishAccount(node, displaced);
    return stored;
  } catch (error) {
    // The address may have been stored in spite of the error, or be taken by now.
    await withoutDeadline(() => nullIfDuplicate(users.returnUnverifiedEmail(displaced._id, email)));
    throw error;
  }
}

import { type CallClient, type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import type { Session, SessionTokens } from "@fanfare/contract";
import { assertAllowedDomain, assertPasswordsAccepted } from "./registration.policy.ts";
import { isSameStanding, mustVerifyFirst } from "./session.policy.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import type { Sessions } from "./sessions.ts";
import type { StoredPasskey, UserDocument } from "./user.model.ts";
import type { UserRepository } from "./user.repository.ts";
import type { SessionDocument, SessionOrigin } from "./session.repository.ts";

export const loginActions = ({
  node,
  users,
  logIn,
  passwords,
  secondFactor,
  accountMails,
  sessions,
  sessionRepository,
  ldapDirectory,
  externalAccounts,
}: UserDependencies): Handlers => ({
  "user.login": async ({ params: { username, password, code, email }, client, services }) => {
    // Before the account is looked up, so that the response is the same for all accounts.
    const policy = await node.policy.get();
    assertPasswordsAccepted(policy);
    // No username has an '@', so a username can never equal another user's address.
    const user = await (username.includes("@")
      ? users.findByEmail(username)
      : users.findByUsername(username));
    const matches = await passwords.verify(password, user?.passwordHash);
    if (user === null || !matches) {
      // Whether or not a local account has the name, so that timing is the same.
      const identity = orThrow(await ldapDirectory.logIn(username, password), "WRONG_CREDENTIALS");
      const found = await externalAccounts.find(identity);
      if (found !== null) await secondFactor.check(found, code);
      return logIn(await externalAccounts.settle(identity, found, { services }), client);
    }
    await secondFactor.check(user, code);
    // Also for an account whose unverified address expired, or was verified by another account.
    if (email !== undefined && mustVerifyFirst(user)) {
      assertAllowedDomain(policy, email);
      if ((await users.findByEmail(email))?.emailVerifiedAt !== undefined) throw serviceError("EMAIL_TAKEN");
      const retryAfterMs = await accountMails.welcome(user, email, client);
      if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
    }
    return logIn(user, client);
  },

  "user.refresh": ({ params }) => sessions.refresh(params.refreshToken, users.find),

  "user.logout": async ({ actor }) => {
    await sessions.end(actor.userId, actor.sessionId);
    return {};
  },

  "user.logoutAll": async ({ actor }) => {
    await sessions.endAll(actor.userId);
    return {};
  },

  "user.listRevokedSessions": async ({ params: { withinMs } }) => ({
    sessionIds: await sessionRepository.listRevokedIds(withinMs),
  }),

  "user.touchSessions": async ({ params: { sessionIds } }) => {
    // Only needed with an idle limit.
    if ((await node.policy.get()).sessionIdleMinutes !== null)
      await sessionRepository.touch(sessionIds, new Date());
    return {};
  },

  "user.listSessions": async ({ actor }) => {
    const found = await sessionRepository.listLiving(actor.userId, new Date());
    return { sessions: found.map((session) => presentSession(session, actor.sessionId)) };
  },

  "user.revokeSession": async ({ params: { sessionId }, actor }) => {
    if (!(await sessions.endOne(actor.userId, sessionId))) throw serviceError("SESSION_NOT_FOUND");
    return {};
  },
});

/** Opens a session for a user who has just authenticated. */
export function createLogIn(users: UserRepository, sessions: Sessions) {
  /**
   * @param user as read when the credentials were checked
   * @param passkey which was used
   * @throws {ServiceError} USER_DISABLED; WRONG_CREDENTIALS when the credentials are no longer valid
   */
  return async (
    user: UserDocument,
    client: CallClient | null,
    origin?: SessionOrigin,
    passkey?: StoredPasskey,
  ): Promise<SessionTokens> => {
    const userId = user._id;
    const tokens = await sessions.open(user, client, origin);
    // The credentials may have been changed, and all sessions ended, while this session was being opened.
    const now = await users.find(userId);
    const isRemoved =
      passkey !== undefined &&
      !now?.passkeys?.some(({ credentialId }) => credentialId === passkey.credentialId);
    if (isRemoved || now?.passwordHash !== user.passwordHash || !isSameStanding(now, user)) {
      await sessions.end(userId, tokens.sessionId);
      throw serviceError(now?.disabledAt === undefined ? "WRONG_CREDENTIALS" : "USER_DISABLED");
    }
    await sessions.trim(userId);
    return tokens;
  };
}

/** Only for the user that owns the session. */
export function presentSession(session: SessionDocument, currentId: string): Session {
  const id = session._id;
  return {
    id,
    current: id === currentId,
    address: session.address ?? null,
    userAgent: session.userAgent ?? null,
    createdAt: session.createdAt.toISOString(),
    refreshedAt: session.refreshedAt.toISOString(),
  };
}

import { LIMITS, type Result } from "@fanfare/contract";
import { type Handlers, limitReached, orThrow, serviceError, withoutDeadline } from "@fanfare/kernel";
import type { AdminRepository } from "./admin.repository.ts";
import type { OneTimeTokenRepository } from "./email.repository.ts";
import { assertPasswordsAccepted } from "./registration.policy.ts";
import { assertNotTaken, rethrowTaken } from "./registration.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import type { UserDocument } from "./user.model.ts";
import { presentAdminUser, publishAccount } from "./user.presenter.ts";
import { newAccount, type UserRepository } from "./user.repository.ts";

/** Longer than a live process takes to store an account. */
const ABANDONED_AFTER_MS = 3 * LIMITS.writeTimeoutMs;

export type Admins = ReturnType<typeof createAdmins>;

interface AdminsOptions {
  users: UserRepository;
  repository: AdminRepository;
  oneTimeTokens: OneTimeTokenRepository;
  /** Whether the first account becomes the admin. Otherwise a setup link or the CLI is needed. */
  firstIsAdmin: boolean;
}

/** The admins of this instance, including how the first one is determined. */
export function createAdmins({ users, repository, oneTimeTokens, firstIsAdmin }: AdminsOptions) {
  const abandonedBefore = (): Date => new Date(Date.now() - ABANDONED_AFTER_MS);
  /** False once an account exists, which never changes back: no further queries are needed. */
  let isFresh = true;

  const hasAdmin = async (userIds: readonly string[]): Promise<boolean> =>
    (await users.findMany(userIds)).some(({ admin }) => admin === true);

  const claim = async (userId: string): Promise<boolean> => {
    if (!firstIsAdmin) return false;
    if (isFresh && (await users.findAnyAccount()) !== null) isFresh = false;
    return isFresh && repository.claim(userId, abandonedBefore());
  };

  /** Called when the first account couldn't be stored: another account created in the meantime becomes the admin. */
  const passAdminOn = async (userId: string): Promise<void> => {
    const other = (await users.findAnyAccount())?._id ?? null;
    await repository.replaceOnly(userId, other);
    if (other !== null) await users.setAdmin(other, true);
  };

  /**
   * @returns the listed ids, none of which is an admin: a dead process has left them
   * @throws {ServiceError} INVALID_LINK when the token is unknown or expired, or the instance has an admin
   */
  const checkSetup = async (token: string): Promise<string[]> => {
    const listed = await repository.listIds();
    const found = await oneTimeTokens.find(token, "setUp");
    if (found === null || (await hasAdmin(listed))) throw serviceError("INVALID_LINK");
    return listed;
  };

  return {
    checkSetup,

    listIds: () => repository.listIds(),

    /**
     * Makes a user the first admin. Of concurrent uses, of one link or several, only one succeeds. A use that fails leaves the
     * link valid.
     * @param make stores the user as an admin
     * @throws {ServiceError} as `checkSetup`; errors from `make`
     */
    async setUp(token: string, userId: string, make: () => Promise<unknown>): Promise<void> {
      const listed = await checkSetup(token);
      if (!(await repository.claim(userId, abandonedBefore(), listed))) throw serviceError("INVALID_LINK");
      try {
        await make();
      } catch (error) {
        // The outcome of a failed write can be unknown.
        if (!(await hasAdmin([userId]))) await repository.release(userId);
        throw error;
      }
    },

    /**
     * Creates an account, which becomes the admin if it is the first; of concurrent calls exactly one is. If the process dies in
     * between, the instance still has no accounts and the next one is the first.
     * @param make stores the account, as an admin if the flag is true
     */
    async withFirst<T>(userId: string, make: (isFirst: boolean) => Promise<T>): Promise<T> {
      const isFirst = await claim(userId);
      try {
        return await make(isFirst);
      } catch (error) {
        if (isFirst) await withoutDeadline(() => passAdminOn(userId));
        throw error;
      }
    },

    async state(): Promise<Result<"user.adminState">["state"]> {
      if (firstIsAdmin && (await users.findAnyAccount()) === null) return "firstToRegister";
      return (await hasAdmin(await repository.listIds())) ? "exists" : "none";
    },

    /**
     * Takes effect with the user's next access token. Idempotent.
     * @throws {ServiceError} LIMIT_REACHED
     */
    async grant(userId: string): Promise<void> {
      if (!(await repository.add(userId))) throw limitReached("adminsPerInstance");
      await users.setAdmin(userId, true);
    },

    /**
     * The caller must end the user's sessions afterwards, because access tokens contain the admin flag. Idempotent.
     * @throws {ServiceError} LAST_ADMIN
     */
    async revoke(userId: string): Promise<void> {
      if (!(await repository.remove(userId))) throw serviceError("LAST_ADMIN");
      await users.setAdmin(userId, false);
    },
  };
}

export const administerActions = ({
  allUsers,
  users,
  sessions,
  admins,
  oneTimeTokens,
  node,
  passwords,
}: UserDependencies): Handlers => ({
  "user.count": async () => ({ users: await allUsers.count() }),

  "user.countCreated": async ({ params: { from, before } }) => ({
    newUsers: await allUsers.countCreated(new Date(from), new Date(before)),
  }),

  "user.countActive": async ({ params: { from, before } }) => ({
    activeUsers: await sessions.countActive(new Date(from), new Date(before)),
    firstAt: (await allUsers.firstAt())?.toISOString() ?? null,
  }),

  "user.listAll": async ({ params: { query, beforeUserId, limit } }) => {
    if (query === undefined) {
      const users = (await allUsers.listPage(beforeUserId, limit)).map(presentAdminUser);
      return { users, nextUserId: users.length === limit ? (users.at(-1)?.id ?? null) : null };
    }
    const fields = ["usernameLower", "nicknameLower", "emailLower"] as const;
    const found = await Promise.all(fields.map((field) => allUsers.listByPrefix(field, query, limit)));
    const byId = new Map(found.flat().map((user) => [user._id, user]));
    return { users: [...byId.values()].slice(0, limit).map(presentAdminUser), nextUserId: null };
  },

  "user.setDisabled": async ({ params: { userId, disabled, byProvider = false } }) => {
    const user = await (disabled
      ? allUsers.disable(userId, new Date(), byProvider)
      : allUsers.enable(userId, byProvider));
    if (user === null)
      throw serviceError((await users.find(userId)) === null ? "USER_NOT_FOUND" : "FORBIDDEN");
    // Afterwards, because opening a session checks the user again after storing it.
    if (disabled) await sessions.endAll(userId);
    return { user: presentAdminUser(user) };
  },

  "user.setAdmin": async ({ params: { userId, admin } }) => {
    const user = orThrow(await users.find(userId), "USER_NOT_FOUND");
    if (admin) {
      // Neither disabled accounts nor bots and guests can become admins.
      if (user.kind !== "member" || user.disabledAt !== undefined || user.deletedAt !== undefined)
        throw serviceError("GUEST_NOT_ALLOWED");
      await admins.grant(userId);
    } else {
      await admins.revoke(userId);
      await sessions.endAll(userId);
    }
    const { admin: _before, ...rest } = user;
    return { user: presentAdminUser(admin ? { ...rest, admin } : rest) };
  },

  "user.listAdminIds": async () => ({ userIds: await admins.listIds() }),

  "user.adminState": async () => ({ state: await admins.state() }),

  "user.createSetupToken": async () => ({
    token: await oneTimeTokens.make("setUp", LIMITS.setupLinkLifetimeMs, {}),
  }),

  "user.setUpAdmin": async ({ params: { token, username, password, locale }, client }) => {
    // First, so that a caller without the link learns nothing and causes no password hash.
    await admins.checkSetup(token);
    assertPasswordsAccepted(await node.policy.get());
    await assertNotTaken(users, { username }, false);
    const passwordHash = await passwords.hash(password, { username });
    const user: UserDocument = { ...newAccount({ username, passwordHash, locale }), admin: true };
    const finish = async () => {
      await admins.setUp(token, user._id, () => users.insert(user).catch(rethrowTaken));
      return sessions.open(user, client);
    };
    // The link is used up once the account is stored, so the rest must complete.
    return withoutDeadline(finish);
  },

  "user.becomeAdmin": async ({ params: { token }, actor }) => {
    const finish = async () => {
      await admins.setUp(token, actor.userId, () => users.setAdmin(actor.userId, true));
      const admin = (await users.find(actor.userId))!;
      publishAccount(node, admin);
      return sessions.continueAlone(admin, actor.sessionId);
    };
    return withoutDeadline(finish);
  },
});

import { LIMITS } from "@fanfare/contract";
import { type Handlers, orThrow, serviceError, withoutDeadline } from "@fanfare/kernel";
import type { UserDependencies } from "./user.dependencies.ts";
import { presentAdminUser, publishAccount } from "./user.presenter.ts";
import { assertPasswordsAccepted } from "./registration.policy.ts";
import { assertNotTaken, rethrowTaken } from "./registration.ts";
import type { UserDocument } from "./user.model.ts";
import { newAccount } from "./user.repository.ts";

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

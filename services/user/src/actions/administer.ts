import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentAdminUser } from "../user.presenter.ts";

export function countUsers({ allUsers }: UserDependencies): Handler<"user.count"> {
  return async () => ({ users: await allUsers.count() });
}

export function listAllUsers({ allUsers }: UserDependencies): Handler<"user.listAll"> {
  return async ({ params: { query, beforeUserId, limit } }) => {
    if (query === undefined) {
      const users = (await allUsers.listPage(beforeUserId, limit)).map(presentAdminUser);
      return { users, nextUserId: users.length === limit ? (users.at(-1)?.id ?? null) : null };
    }
    const fields = ["usernameLower", "nicknameLower", "emailLower"] as const;
    const found = await Promise.all(fields.map((field) => allUsers.listByPrefix(field, query, limit)));
    const byId = new Map(found.flat().map((user) => [user._id, user]));
    return { users: [...byId.values()].slice(0, limit).map(presentAdminUser), nextUserId: null };
  };
}

export function setDisabled({ users, allUsers, sessions }: UserDependencies): Handler<"user.setDisabled"> {
  return async ({ params: { userId, disabled } }) => {
    const user = await (disabled ? allUsers.disable(userId, new Date()) : allUsers.enable(userId));
    if (user === null)
      throw serviceError((await users.find(userId)) === null ? "USER_NOT_FOUND" : "FORBIDDEN");
    // Afterwards, so that none is opened in between: who opens one looks at the user once more.
    if (disabled) await sessions.endAll(userId);
    return { user: presentAdminUser(user) };
  };
}

export function setAdmin({ users, admins, sessions }: UserDependencies): Handler<"user.setAdmin"> {
  return async ({ params: { userId, admin } }) => {
    const user = await users.find(userId);
    if (user === null) throw serviceError("USER_NOT_FOUND");
    if (admin) {
      // Whoever may not log in stays so, and whatever logs in without a person behind it.
      if (user.kind !== "member" || user.disabledAt !== undefined || user.deletedAt !== undefined)
        throw serviceError("GUEST_NOT_ALLOWED");
      await admins.grant(userId);
    } else {
      await admins.revoke(userId);
      await sessions.endAll(userId);
    }
    const { admin: _before, ...rest } = user;
    return { user: presentAdminUser(admin ? { ...rest, admin } : rest) };
  };
}

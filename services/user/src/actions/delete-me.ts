import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function deleteMe(dependencies: UserDependencies): Handler<"user.deleteMe"> {
  const { users, admins, confirmPassword, secondFactor, sessions, erasures } = dependencies;
  return async ({ params: { password, code }, actor, call }) => {
    const { userId } = actor;
    const user = await users.find(userId);
    if (user === null || user.deletedAt !== undefined) throw serviceError("UNAUTHENTICATED");
    if (user.passwordHash !== undefined) await confirmPassword(userId, password ?? "");
    await secondFactor.check(user, code);
    const { groupIds } = await call("group.listOwned", { userId });
    if (groupIds.length > 0) throw serviceError("OWNS_GROUPS", { groupIds });
    if (user.admin === true) await admins.revoke(userId);
    const erased = await users.erase(userId, new Date());
    // From here on it is done, whatever happens to this process.
    await sessions.endAll(userId);
    if (erased !== null) await erasures.begin(erased);
    return {};
  };
}

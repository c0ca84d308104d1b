import { LIMITS } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentUser } from "../user.presenter.ts";

export function block({ node, users, blocks }: UserDependencies): Handler<"user.block"> {
  return async ({ params: { userId }, actor, call }) => {
    if (userId === actor.userId) {
      const issues = [{ path: "userId", message: "must be another user's" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    if ((await users.find(userId)) === null) throw serviceError("USER_NOT_FOUND");
    const max = LIMITS.blockedPerUser;
    if ((await blocks.count(actor.userId, max)) >= max)
      throw serviceError("LIMIT_REACHED", { limit: "blockedPerUser", max });
    await blocks.insert(actor.userId, userId);
    // What is known of their direct channel is from before. Whoever dies before this is right again when it is looked up anew.
    await call("group.forgetDirectAccess", { userId: actor.userId, otherId: userId });
    node.broadcast("user.blocked", { userId: actor.userId, blockedId: userId });
    return {};
  };
}

export function unblock({ blocks }: UserDependencies): Handler<"user.unblock"> {
  return async ({ params: { userId }, actor, call }) => {
    await blocks.remove(actor.userId, userId);
    await call("group.forgetDirectAccess", { userId: actor.userId, otherId: userId });
    return {};
  };
}

export function listBlocked({ users, blocks }: UserDependencies): Handler<"user.listBlocked"> {
  return async ({ params: { afterUserId, limit }, actor }) => {
    const userIds = await blocks.listPage(actor.userId, afterUserId, limit);
    const found = userIds.length === 0 ? [] : await users.findMany(userIds);
    const byId = new Map(found.map((user) => [user._id, user]));
    return {
      users: userIds.flatMap((id) => byId.get(id) ?? []).map(presentUser),
      nextUserId: userIds.length === limit ? (userIds.at(-1) ?? null) : null,
    };
  };
}

export function listBlockedAmong({ users, blocks }: UserDependencies): Handler<"user.listBlockedAmong"> {
  return async ({ params: { userId, userIds } }) => {
    const [deleted, blocked, blockers] = await Promise.all([
      users.deletedAmong(userIds),
      blocks.blockedAmong(userId, userIds),
      blocks.blockersAmong(userIds, userId),
    ]);
    return { userIds: userIds.filter((id) => deleted.has(id) || blocked.has(id) || blockers.has(id)) };
  };
}

import { LIMITS } from "@fanfare/contract";
import { assertBelow, type Handlers, invalid, serviceError } from "@fanfare/kernel";
import { endFriendship } from "./friends/friends.ts";
import { isActive } from "./session.policy.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import { localeOf, presentUser } from "./user.presenter.ts";

export function blockActions(dependencies: UserDependencies): Handlers {
  const { users, blocks, sessionRepository } = dependencies;
  return {
    "user.block": async ({ params: { userId }, actor, services }) => {
      if (userId === actor.userId) throw invalid("userId", "must be another user's");
      if ((await users.find(userId)) === null) throw serviceError("USER_NOT_FOUND");
      if (!(await blocks.blockersAmong([actor.userId], userId)).has(actor.userId)) {
        assertBelow("blockedPerUser", await blocks.count(actor.userId, LIMITS.blockedPerUser));
        await blocks.insert(actor.userId, userId);
      }
      // Invalidates the cached access to their direct channel. If the process dies before this, the entry expires.
      await services.group.forgetDirectAccess({ userId: actor.userId, otherId: userId });
      // If the process dies before this, contact is still prevented: a block takes precedence over a friendship.
      await endFriendship(dependencies, actor.userId, userId);
      return {};
    },

    "user.unblock": async ({ params: { userId }, actor, services }) => {
      await blocks.remove(actor.userId, userId);
      await services.group.forgetDirectAccess({ userId: actor.userId, otherId: userId });
      return {};
    },

    "user.listBlocked": async ({ params: { afterUserId, limit }, actor }) => {
      const userIds = await blocks.listPage(actor.userId, afterUserId, limit);
      const found = userIds.length === 0 ? [] : await users.findMany(userIds);
      const byId = new Map(found.map((user) => [user._id, user]));
      return {
        users: userIds.flatMap((id) => byId.get(id) ?? []).map(presentUser),
        nextUserId: userIds.length === limit ? (userIds.at(-1) ?? null) : null,
      };
    },

    "user.listBlockedAmong": async ({ params: { userId, userIds } }) => {
      const [deleted, blocked] = await Promise.all([
        users.deletedAmong(userIds),
        blocks.among(userId, userIds),
      ]);
      return { userIds: userIds.filter((id) => deleted.has(id) || blocked.has(id)) };
    },

    "user.listNames": async ({ params: { userIds } }) => {
      const found = await users.findMany([...new Set(userIds)]);
      return { users: found.map(({ _id, nickname }) => ({ userId: _id, name: nickname })) };
    },

    "user.listSpokenTo": async ({ params: { userIds } }) => {
      const found = await users.findMany([...new Set(userIds)]);
      const reached = found.filter(isActive);
      const ids = reached.map(({ _id }) => _id);
      const living = await sessionRepository.listLivingOf(ids, new Date());
      return {
        users: reached.map((user) => ({
          userId: user._id,
          locale: localeOf(user),
          sessionIds: (living.get(user._id) ?? []).map(({ _id }) => _id),
        })),
      };
    },
  };
}

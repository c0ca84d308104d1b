import { LIMITS } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { PresenceDependencies } from "../presence.dependencies.ts";
import { readPresences } from "../read-presences.ts";

/** The gateway joins the socket into the rooms of those who are in the answer: see the action's `subscription`. */
export function watch(dependencies: PresenceDependencies): Handler<"presence.watch"> {
  return async ({ params, actor: { userId }, call }) => {
    const asked = [...new Set(params.userIds)];
    const [acquaintances, friends] = await Promise.all([
      call("group.listAcquaintances", { userId, userIds: asked }),
      // Where nobody answers for friends, those are left out with whom the caller shares nothing else.
      call("friend.listAmong", { userId, userIds: asked }).catch(() => ({ userIds: [] })),
    ]);
    const userIds = [...new Set([...acquaintances.userIds, ...friends.userIds])];
    const [presences, own] = await Promise.all([
      readPresences(dependencies, userIds),
      dependencies.statuses.findMany([userId]),
    ]);
    return { presences, ownStatus: own.get(userId) ?? "online", expiresInMs: LIMITS.watchLifetimeMs };
  };
}

/** All that there is to do is done by the gateway. */
export function unwatch(): Handler<"presence.unwatch"> {
  return () => ({});
}

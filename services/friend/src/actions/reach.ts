import type { Handler } from "@fanfare/kernel";
import type { FriendDependencies } from "../friend.dependencies.ts";
import { reachableAmong } from "../relations.ts";

export function getReach({ reaches }: FriendDependencies): Handler<"friend.getReach"> {
  return async ({ actor: { userId } }) => ({ reach: (await reaches.findMany([userId])).get(userId)! });
}

export function setReach({ reaches }: FriendDependencies): Handler<"friend.setReach"> {
  return async ({ params, actor: { userId } }) => {
    const changes = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
    return { reach: await reaches.set(userId, changes) };
  };
}

export function listReachable(dependencies: FriendDependencies): Handler<"friend.listReachable"> {
  return async ({ params: { userIds, approach, ...user }, call }) => ({
    userIds: await reachableAmong(dependencies, call, approach, user, userIds),
  });
}

import { serviceError, type Handler } from "@fanfare/kernel";
import { befriend } from "../befriend.ts";
import type { FriendDependencies } from "../friend.dependencies.ts";
import { presentFriend } from "../friend.presenter.ts";
import { tellRemoved } from "../tell-removed.ts";

export function accept(dependencies: FriendDependencies): Handler<"friend.accept"> {
  return async ({ params, actor: { userId } }) => {
    const friend = await befriend(dependencies, userId, params.userId);
    if (friend !== null) return { friend };
    const existing = await dependencies.friendships.find(userId, params.userId);
    if (existing?.state !== "friends") throw serviceError("FRIEND_REQUEST_NOT_FOUND");
    return { friend: presentFriend(existing, userId) };
  };
}

export function decline({ node, friendships }: FriendDependencies): Handler<"friend.decline"> {
  return async ({ params, actor: { userId } }) => {
    const removed = await friendships.remove(userId, params.userId, params.userId);
    if (removed !== null) tellRemoved(node, userId, params.userId);
    return {};
  };
}

/** A friend, or what the caller has asked somebody; what somebody has asked the caller is declined. */
export function remove({ node, friendships }: FriendDependencies): Handler<"friend.remove"> {
  return async ({ params, actor: { userId } }) => {
    const removed = await friendships.remove(userId, params.userId);
    if (removed !== null) tellRemoved(node, userId, params.userId);
    return {};
  };
}

import { LIMITS } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { FriendDependencies } from "../friend.dependencies.ts";
import { presentFriend, presentRequest } from "../friend.presenter.ts";

/** All in one page, which LIMITS bounds. */
export function exportUser({ friendships, reaches }: FriendDependencies): Handler<"friend.exportUser"> {
  return async ({ params: { userId } }) => {
    const [friends, requests, settings] = await Promise.all([
      friendships.list(userId, "friends", undefined, LIMITS.friendsPerUser),
      friendships.list(userId, "requested", undefined, 2 * LIMITS.friendRequestsPerUser),
      reaches.findMany([userId]),
    ]);
    return {
      items: [
        ...friends.map((friend) => ({ kind: "friend", data: presentFriend(friend, userId) })),
        ...requests.map((request) => ({ kind: "friendRequest", data: presentRequest(request, userId) })),
        { kind: "reach", data: settings.get(userId) },
      ],
      nextCursor: null,
    };
  };
}

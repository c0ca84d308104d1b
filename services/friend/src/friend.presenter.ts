import type { Friend, FriendRequest } from "@fanfare/contract";
import type { FriendshipDocument } from "./friendship.repository.ts";

/** The one of the two who is not `userId`. */
function otherOf({ userIds }: FriendshipDocument, userId: string): string {
  return userIds.find((id) => id !== userId) ?? userId;
}

/** As `userId` sees it. */
export function presentFriend(friendship: FriendshipDocument, userId: string): Friend {
  return { userId: otherOf(friendship, userId), since: friendship.since.toISOString() };
}

/** As `userId` sees it. */
export function presentRequest(friendship: FriendshipDocument, userId: string): FriendRequest {
  return {
    userId: otherOf(friendship, userId),
    direction: friendship.requestedBy === userId ? "outgoing" : "incoming",
    requestedAt: friendship.since.toISOString(),
  };
}

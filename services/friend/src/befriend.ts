import { LIMITS, userRoom, type Friend } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import type { FriendDependencies } from "./friend.dependencies.ts";
import { presentFriend } from "./friend.presenter.ts";

/**
 * Takes the request of `otherId`, and tells both.
 * @returns null when there is none
 * @throws {ServiceError} LIMIT_REACHED when one of the two has as many friends as there may be
 */
export async function befriend(
  { node, friendships }: FriendDependencies,
  userId: string,
  otherId: string,
): Promise<Friend | null> {
  const max = LIMITS.friendsPerUser;
  const counts = await Promise.all([userId, otherId].map((id) => friendships.count(id, "friends", max)));
  if (counts.some((count) => count >= max))
    throw serviceError("LIMIT_REACHED", { limit: "friendsPerUser", max });
  const accepted = await friendships.accept(userId, otherId);
  if (accepted === null) return null;
  for (const id of [userId, otherId]) {
    node.publish(userRoom(id), "friend.added", { friend: presentFriend(accepted, id) });
  }
  return presentFriend(accepted, userId);
}

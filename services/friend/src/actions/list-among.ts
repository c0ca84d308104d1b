import type { Handler } from "@fanfare/kernel";
import type { FriendDependencies } from "../friend.dependencies.ts";

export function listAmong({ friendships }: FriendDependencies): Handler<"friend.listAmong"> {
  return async ({ params: { userId, userIds } }) => {
    const friends = await friendships.friendsAmong(userId, userIds);
    return { userIds: userIds.filter((id) => friends.has(id)) };
  };
}

import type { Call } from "@fanfare/contract";
import type { FriendDependencies } from "./friend.dependencies.ts";
import { isReachable, type Approach } from "./friend.policy.ts";

/** Those of `userIds` whom `userId` can reach in this way. Costs as much as there are users asked for. */
export async function reachableAmong(
  { friendships, reaches }: FriendDependencies,
  call: Call,
  approach: Approach,
  userId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const others = [...new Set(userIds)].filter((id) => id !== userId);
  if (others.length === 0) return [];
  const [friends, settings, mates, blocks] = await Promise.all([
    friendships.friendsAmong(userId, others),
    reaches.findMany(others),
    call("group.listAcquaintances", { userId, userIds: others, groupsOnly: true }),
    call("user.listBlockedAmong", { userId, userIds: others }),
  ]);
  const isMate = new Set(mates.userIds);
  const isBlocked = new Set(blocks.userIds);
  return others.filter((id) =>
    isReachable(approach, settings.get(id)!, {
      isFriend: friends.has(id),
      isMate: isMate.has(id),
      isBlocked: isBlocked.has(id),
    }),
  );
}

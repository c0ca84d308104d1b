import type { Call } from "@fanfare/contract";
import type { Actor } from "@fanfare/kernel";
import type { FriendDependencies } from "./friend.dependencies.ts";
import { isReachable, narrowDirectFrom, type Approach } from "./friend.policy.ts";

/** Those of `userIds` whom the actor can reach in this way. Costs as much as there are users asked for. */
export async function reachableAmong(
  { node, friendships, reaches }: FriendDependencies,
  call: Call,
  approach: Approach,
  { userId, kind }: Pick<Actor, "userId" | "kind">,
  userIds: readonly string[],
): Promise<string[]> {
  const others = [...new Set(userIds)].filter((id) => id !== userId);
  if (others.length === 0) return [];
  const [policy, friends, settings, mates, blocks] = await Promise.all([
    node.policy.get(),
    friendships.friendsAmong(userId, others),
    reaches.findMany(others),
    call("group.listAcquaintances", { userId, userIds: others, groupsOnly: true }),
    call("user.listBlockedAmong", { userId, userIds: others }),
  ]);
  const isMate = new Set(mates.userIds);
  const isBlocked = new Set(blocks.userIds);
  return others.filter((id) => {
    const { requestsFrom, directFrom } = settings.get(id)!;
    const reach = { requestsFrom, directFrom: narrowDirectFrom(directFrom, policy, kind) };
    return isReachable(approach, reach, {
      isFriend: friends.has(id),
      isMate: isMate.has(id),
      isBlocked: isBlocked.has(id),
    });
  });
}

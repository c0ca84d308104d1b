import { LIMITS, userRoom } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { FriendDependencies } from "../friend.dependencies.ts";

export function forgetUser({ node, friendships, reaches }: FriendDependencies): Handler<"friend.forgetUser"> {
  return async ({ params: { userId } }) => {
    for (const state of ["requested", "friends"] as const) {
      for (;;) {
        const found = await friendships.list(userId, state, undefined, LIMITS.pageMaxItems);
        for (const { userIds } of found) {
          const otherId = userIds.find((id) => id !== userId)!;
          await friendships.remove(userId, otherId);
          node.publish(userRoom(otherId), "friend.removed", { userId });
        }
        if (found.length < LIMITS.pageMaxItems) break;
      }
    }
    await reaches.remove(userId);
    return {};
  };
}

import type { DomainEvents } from "@fanfare/kernel";
import type { FriendDependencies } from "../friend.dependencies.ts";
import { tellRemoved } from "../tell-removed.ts";

/** Who blocks somebody ends what was between them. Where this is lost they are still refused: a block stands before everything. */
export function userBlocked({ node, friendships }: FriendDependencies) {
  return async ({ userId, blockedId }: DomainEvents["user.blocked"]): Promise<void> => {
    if ((await friendships.remove(userId, blockedId)) !== null) tellRemoved(node, userId, blockedId);
  };
}

import type { NodeContext } from "@fanfare/kernel";
import type { FriendshipRepository } from "./friendship.repository.ts";
import type { ReachRepository } from "./reach.repository.ts";

/** What the actions of this service work with. */
export interface FriendDependencies {
  node: NodeContext;
  friendships: FriendshipRepository;
  reaches: ReachRepository;
}

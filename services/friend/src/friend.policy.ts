import type { Reach } from "@fanfare/contract";

/** What one user is to another. */
export interface Relation {
  isFriend: boolean;
  /** They share a group. */
  isMate: boolean;
  /** One of the two has blocked the other. */
  isBlocked: boolean;
}

/** How somebody wants to reach a user. */
export type Approach = "request" | "direct" | "groupDirect";

/** Whether a user who has set `reach` can be reached by somebody who is this to them. Nobody gets past a block. */
export function isReachable(approach: Approach, reach: Reach, relation: Relation): boolean {
  const { isFriend, isMate, isBlocked } = relation;
  if (isBlocked) return false;
  const isKnown = isFriend || isMate;
  if (approach === "request") {
    return reach.requestsFrom === "everyone" || (reach.requestsFrom === "groupMates" && isKnown);
  }
  if (reach.directFrom === "friends") return isFriend;
  // A channel of several is nothing that a stranger could put somebody into.
  return isKnown || (approach === "direct" && reach.directFrom === "everyone");
}

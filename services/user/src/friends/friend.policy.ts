import type { InstancePolicy, Reach, User } from "@fanfare/contract";

/** The relation between two users. */
export interface Relation {
  isFriend: boolean;
  /** They share a group. */
  isMate: boolean;
  /** One of the two has blocked the other. */
  isBlocked: boolean;
}

/** Ways to contact a user. */
export type Approach = "request" | "direct" | "groupDirect";

type DirectFrom = Reach["directFrom"];

/** From the least to the most restrictive. */
const DIRECT_FROM: readonly DirectFrom[] = ["everyone", "groupMates", "friends"];

/** A user's `directFrom` as restricted by the instance policy for users of this kind. */
export function narrowDirectFrom(
  directFrom: DirectFrom,
  { directMessages }: Pick<InstancePolicy, "directMessages">,
  kind: User["kind"],
): DirectFrom {
  const limits: DirectFrom[] = [directFrom, directMessages, kind === "guest" ? "groupMates" : "everyone"];
  return DIRECT_FROM.findLast((value) => limits.includes(value))!;
}

/** Whether a user with this relation can contact a user with this `reach`. Blocked users never can. */
export function isReachable(approach: Approach, reach: Reach, relation: Relation): boolean {
  const { isFriend, isMate, isBlocked } = relation;
  if (isBlocked) return false;
  const isKnown = isFriend || isMate;
  if (approach === "request") {
    return reach.requestsFrom === "everyone" || (reach.requestsFrom === "groupMates" && isKnown);
  }
  if (reach.directFrom === "friends") return isFriend;
  // Only acquaintances can add users to group DMs.
  return isKnown || (approach === "direct" && reach.directFrom === "everyone");
}

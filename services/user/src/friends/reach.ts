import type { Services, InstancePolicy, Reach, User } from "@fanfare/contract";
import type { Actor, Handlers } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";

export function reachActions(dependencies: UserDependencies): Handlers {
  const { reaches } = dependencies;
  return {
    "friend.getReach": async ({ actor: { userId } }) => ({
      reach: (await reaches.findMany([userId])).get(userId)!,
    }),

    "friend.setReach": async ({ params, actor: { userId } }) => {
      const changes = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
      return { reach: await reaches.set(userId, changes) };
    },

    "friend.listReachable": async ({ params: { userIds, approach, ...user }, services }) => ({
      userIds: await reachableAmong(dependencies, services, approach, user, userIds),
    }),
  };
}

/** @returns those of `userIds` whom the actor can contact in this way. The cost depends on the number of users. */
export async function reachableAmong(
  { node, friendships, reaches }: UserDependencies,
  services: Services,
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
    services.group.listAcquaintances({ userId, userIds: others, groupsOnly: true }),
    services.user.listBlockedAmong({ userId, userIds: others }),
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
function narrowDirectFrom(
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

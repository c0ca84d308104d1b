import {
  type Friend,
  type FriendRequest,
  LIMITS,
  type Params,
  type Services,
  type User,
  userRoom,
} from "@fanfare/contract";
import { assertBelow, type Handlers, invalid, orThrow, serviceError } from "@fanfare/kernel";
import { isActive } from "../session.policy.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import { localeOf, presentUser } from "../user.presenter.ts";
import type { FriendshipDocument, FriendshipState } from "./friendship.repository.ts";
import { reachableAmong } from "./reach.ts";

/** A request can be answered or withdrawn in the meantime. */
const MAX_ROUNDS = 3;

export function friendActions(dependencies: UserDependencies): Handlers {
  const { node, blocks, friendships, reaches } = dependencies;
  return {
    "friend.request": async ({ params, actor, services }) => {
      const { userId } = actor;
      const other = await findUser(services, params);
      if (other.id === userId) throw invalid("userId", "must be another user's");
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const existing = await friendships.find(userId, other.id);
        if (existing?.state === "friends") return { state: "friends" };
        if (existing?.requestedBy === userId) return { state: "requested" };
        if (existing !== null) {
          if ((await befriend(dependencies, userId, other.id)) !== null) return { state: "friends" };
          continue;
        }
        if (other.kind === "guest") throw serviceError("NOT_REACHABLE");
        const [isReachable] = await reachableAmong(dependencies, services, "request", actor, [other.id]);
        if (isReachable === undefined) throw serviceError("NOT_REACHABLE");
        const open = await Promise.all(
          [userId, other.id].map((id) => friendships.count(id, "requested", LIMITS.friendRequestsPerUser)),
        );
        assertBelow("friendRequestsPerUser", Math.max(...open));
        const requested = await friendships.request(userId, other.id);
        if (requested === null) continue;
        // A block is stored before it removes a request: either it is visible here, or it sees this one.
        if ((await blocks.among(userId, [other.id])).size > 0) {
          await friendships.remove(userId, other.id, userId);
          throw serviceError("NOT_REACHABLE");
        }
        for (const id of [userId, other.id]) {
          node.publish(userRoom(id), "friend.requested", { request: presentRequest(requested, id) });
        }
        return { state: "requested" };
      }
      throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
    },

    "friend.accept": async ({ params, actor: { userId } }) => {
      const known = async (): Promise<Friend | null> => {
        const found = await friendships.find(userId, params.userId);
        return found?.state === "friends" ? presentFriend(found, userId) : null;
      };
      // Again after it, because another call can have accepted the request meanwhile.
      const friend =
        (await known()) ?? (await befriend(dependencies, userId, params.userId)) ?? (await known());
      return { friend: orThrow(friend, "FRIEND_REQUEST_NOT_FOUND") };
    },

    "friend.decline": async ({ params, actor: { userId } }) => {
      await endFriendship(dependencies, userId, params.userId, params.userId);
      return {};
    },

    /** Removes a friend, withdraws the caller's request or declines a request to the caller. */
    "friend.remove": async ({ params, actor: { userId } }) => {
      await endFriendship(dependencies, userId, params.userId);
      return {};
    },

    "friend.list": async ({ params, actor: { userId } }) => {
      const { page, nextCursor } = await readPage(dependencies, userId, "friends", params);
      return { friends: page.map((friendship) => presentFriend(friendship, userId)), nextCursor };
    },

    "friend.listRequests": async ({ params, actor: { userId } }) => {
      const { page, nextCursor } = await readPage(dependencies, userId, "requested", params);
      return { requests: page.map((friendship) => presentRequest(friendship, userId)), nextCursor };
    },

    "friend.listAmong": async ({ params: { userId, userIds } }) => {
      const friends = await friendships.friendsAmong(userId, userIds);
      return { userIds: userIds.filter((id) => friends.has(id)) };
    },

    /** A single page, bounded by LIMITS. */
    "friend.exportUser": async ({ params: { userId } }) => {
      const [friends, requests, settings] = await Promise.all([
        friendships.list(userId, "friends", undefined, LIMITS.friendsPerUser),
        friendships.list(userId, "requested", undefined, 2 * LIMITS.friendRequestsPerUser),
        reaches.findMany([userId]),
      ]);
      return {
        items: [
          ...friends.map((friend) => ({ kind: "friend", data: presentFriend(friend, userId) })),
          ...requests.map((request) => ({ kind: "friendRequest", data: presentRequest(request, userId) })),
          { kind: "reach", data: settings.get(userId) },
        ],
        nextCursor: null,
      };
    },

    "friend.forgetUser": async ({ params: { userId } }) => {
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
    },
  };
}

async function findUser(services: Services, { userId, username }: Params<"friend.request">): Promise<User> {
  const { user } = await (username === undefined
    ? services.user.get({ userId: userId! })
    : services.user.findByUsername({ username }));
  return user;
}

/**
 * Accepts the request of `otherId` and notifies both.
 * @returns null when there is no request
 * @throws {ServiceError} LIMIT_REACHED when one of the two has the maximum number of friends
 */
async function befriend(
  { node, friendships }: UserDependencies,
  userId: string,
  otherId: string,
): Promise<Friend | null> {
  const counts = await Promise.all(
    [userId, otherId].map((id) => friendships.count(id, "friends", LIMITS.friendsPerUser)),
  );
  assertBelow("friendsPerUser", Math.max(...counts));
  const accepted = await friendships.accept(userId, otherId);
  if (accepted === null) return null;
  for (const id of [userId, otherId]) {
    node.publish(userRoom(id), "friend.added", { friend: presentFriend(accepted, id) });
  }
  return presentFriend(accepted, userId);
}

/** Ends a friendship or request, and notifies both. */
async function endFriendship(
  { node, friendships }: Pick<UserDependencies, "node" | "friendships">,
  userId: string,
  otherId: string,
  requestedBy?: string,
): Promise<void> {
  if ((await friendships.remove(userId, otherId, requestedBy)) === null) return;
  node.publish(userRoom(userId), "friend.removed", { userId: otherId });
  node.publish(userRoom(otherId), "friend.removed", { userId });
}

async function readPage(
  { friendships }: UserDependencies,
  userId: string,
  state: FriendshipState,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ page: FriendshipDocument[]; nextCursor: string | null }> {
  const found = await friendships.list(userId, state, cursor, limit + 1);
  const page = found.slice(0, limit);
  return { page, nextCursor: found.length > limit ? page.at(-1)!._id : null };
}

function otherOf({ userIds }: FriendshipDocument, userId: string): string {
  return userIds.find((id) => id !== userId) ?? userId;
}

/** From the perspective of `userId`. */
function presentFriend(friendship: FriendshipDocument, userId: string): Friend {
  return { userId: otherOf(friendship, userId), since: friendship.since.toISOString() };
}

/** From the perspective of `userId`. */
function presentRequest(friendship: FriendshipDocument, userId: string): FriendRequest {
  return {
    userId: otherOf(friendship, userId),
    direction: friendship.requestedBy === userId ? "outgoing" : "incoming",
    requestedAt: friendship.since.toISOString(),
  };
}

export function blockActions(dependencies: UserDependencies): Handlers {
  const { users, blocks, sessionRepository } = dependencies;
  return {
    "user.block": async ({ params: { userId }, actor, services }) => {
      if (userId === actor.userId) throw invalid("userId", "must be another user's");
      if ((await users.find(userId)) === null) throw serviceError("USER_NOT_FOUND");
      if (!(await blocks.blockersAmong([actor.userId], userId)).has(actor.userId)) {
        assertBelow("blockedPerUser", await blocks.count(actor.userId, LIMITS.blockedPerUser));
        await blocks.insert(actor.userId, userId);
      }
      // Invalidates the cached access to their direct channel. If the process dies before this, the entry expires.
      await services.group.forgetDirectAccess({ userId: actor.userId, otherId: userId });
      // If the process dies before this, contact is still prevented: a block takes precedence over a friendship.
      await endFriendship(dependencies, actor.userId, userId);
      return {};
    },

    "user.unblock": async ({ params: { userId }, actor, services }) => {
      await blocks.remove(actor.userId, userId);
      await services.group.forgetDirectAccess({ userId: actor.userId, otherId: userId });
      return {};
    },

    "user.listBlocked": async ({ params: { afterUserId, limit }, actor }) => {
      const userIds = await blocks.listPage(actor.userId, afterUserId, limit);
      const found = userIds.length === 0 ? [] : await users.findMany(userIds);
      const byId = new Map(found.map((user) => [user._id, user]));
      return {
        users: userIds.flatMap((id) => byId.get(id) ?? []).map(presentUser),
        nextUserId: userIds.length === limit ? (userIds.at(-1) ?? null) : null,
      };
    },

    "user.listBlockedAmong": async ({ params: { userId, userIds } }) => {
      const [deleted, blocked] = await Promise.all([
        users.deletedAmong(userIds),
        blocks.among(userId, userIds),
      ]);
      return { userIds: userIds.filter((id) => deleted.has(id) || blocked.has(id)) };
    },

    "user.listNames": async ({ params: { userIds } }) => {
      const found = await users.findMany([...new Set(userIds)]);
      return { users: found.map(({ _id, nickname }) => ({ userId: _id, name: nickname })) };
    },

    "user.listSpokenTo": async ({ params: { userIds } }) => {
      const found = await users.findMany([...new Set(userIds)]);
      const reached = found.filter(isActive);
      const ids = reached.map(({ _id }) => _id);
      const living = await sessionRepository.listLivingOf(ids, new Date());
      return {
        users: reached.map((user) => ({
          userId: user._id,
          locale: localeOf(user),
          sessionIds: (living.get(user._id) ?? []).map(({ _id }) => _id),
        })),
      };
    },
  };
}

import { directsOf, friendRequestsOf, friendsOf } from "@fanfare/client/store";
import type { ChannelState, Friend, FriendRequest, Reach, User } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { LIMITS } from "@fanfare/contract/limits";
import { useEffect, useSyncExternalStore } from "react";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useActionQuery, useServerCache, type On } from "./data-context.ts";
import { type Effects, perCache, Lookup } from "./lookup.ts";
import { type Loaded, useLoaded } from "./store.ts";

/** For accounts only; fails for guests. */
export function useFriends(options?: { enabled?: boolean }): Loaded<readonly Friend[]> {
  return useLoaded("friend.list", {}, friendsOf, options);
}

/** Sent and received requests, newest first. */
export function useFriendRequests(options?: { enabled?: boolean }): Loaded<readonly FriendRequest[]> {
  return useLoaded("friend.listRequests", {}, friendRequestsOf, options);
}

export function useReach(): UseQueryResult<Reach> {
  return useActionQuery("friend.getReach", {}, { ...ON_OPEN, select: ({ reach }) => reach });
}

function removed({ store }: ServerCache, { userId }: { userId: string }): () => void {
  store.applyOptimistically({ name: "friend.removed", payload: { userId } });
  return () => {
    void store.reload("friend.list", {});
    void store.reload("friend.listRequests", {});
  };
}

export const friendEffects: Effects = {
  "friend.decline": { before: removed },
  "friend.remove": { before: removed },
  "friend.setReach": {
    before(cache, params) {
      cache.patch("friend.getReach", ({ reach }) => ({ reach: { ...reach, ...params } }));
      return () => cache.refetch("friend.getReach");
    },
    after: (cache, _, response) => cache.put("friend.getReach", {}, response),
  },
};

/** The user's direct messages and group DMs, by last activity. */
export function useDirects(): Loaded<readonly ChannelState[]> {
  return useLoaded("channel.listDirect", {}, directsOf);
}

export const directEffects: Effects = {
  "channel.closeDirect": {
    before({ store }, { channelId }) {
      store.applyOptimistically({ name: "channel.closed", payload: { channelId } });
      return () => void store.reload("channel.listDirect", {});
    },
  },
};

const MAX_USERS = 5000;

export const usersOf = perCache(
  ({ client }) =>
    new Lookup<User>({
      max: MAX_USERS,
      perCall: LIMITS.usersPerLookup,
      async load(userIds) {
        const { users } = await client.call("user.getMany", { userIds });
        return new Map(users.map((user) => [user.id, user]));
      },
    }),
);

/** Undefined while loading. Concurrent requests are batched. */
export function useUser(userId: string | null | undefined): User | undefined {
  const users = usersOf(useServerCache());
  const user = useSyncExternalStore(users.subscribe, () => (userId ? users.get(userId) : undefined));
  useEffect(() => {
    if (userId && user === undefined) users.request(userId);
  }, [users, userId, user]);
  return user;
}

/** The profiles that are already known. `userIds` must be stable. */
export function useUsers(userIds: readonly string[]): User[] {
  const users = usersOf(useServerCache());
  // The count only signals changes.
  useSyncExternalStore(users.subscribe, users.version);
  useEffect(() => {
    for (const id of userIds) users.request(id);
  }, [users, userIds]);
  return userIds.flatMap((id) => users.get(id) ?? []);
}

export function listenUsers(cache: ServerCache, on: On): void {
  const users = usersOf(cache);
  on("user.updated", ({ user }) => {
    if (users.get(user.id) !== undefined) users.put([[user.id, user]]);
  });
  on("ready", () => users.refresh());
  on("resync", () => users.refresh());
}

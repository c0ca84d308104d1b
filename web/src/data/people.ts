import { directsOf, friendRequestsOf, friendsOf } from "@fanfare/client/store";
import type { ChannelState, Friend, FriendRequest, Reach, User } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useActionQuery, useServerCache } from "./data-context.ts";
import type { Effects } from "./lookup.ts";
import { useMe } from "./me.ts";
import { type Loaded, useLoaded, useStoreState } from "./store.ts";

/** Never loaded for guests, who have no friends. */
export function useFriends(): Loaded<readonly Friend[]> {
  return useLoaded("friend.list", {}, friendsOf, { enabled: useMe().kind === "member" });
}

/** Sent and received requests, newest first. Never loaded for guests. */
export function useFriendRequests(): Loaded<readonly FriendRequest[]> {
  return useLoaded("friend.listRequests", {}, friendRequestsOf, { enabled: useMe().kind === "member" });
}

/** Empty while loading. */
export function useIncomingRequests(): readonly FriendRequest[] {
  return useFriendRequests().data?.filter(({ direction }) => direction === "incoming") ?? [];
}

export function useReach(): UseQueryResult<Reach> {
  return useActionQuery("friend.getReach", {}, { ...ON_OPEN, select: ({ reach }) => reach });
}

function removed({ store }: ServerCache, { userId }: { userId: string }): () => void {
  const event = { name: "friend.removed", payload: { userId } } as const;
  return store.applyOptimistically(event, ["friend.list", {}], ["friend.listRequests", {}]);
}

export const friendEffects: Effects = {
  "friend.decline": { before: removed },
  "friend.remove": { before: removed },
  "friend.setReach": {
    before(cache, params) {
      const undo = cache.patch("friend.getReach", ({ reach }) => ({ reach: { ...reach, ...params } }));
      return () => {
        undo();
        cache.refetch("friend.getReach");
      };
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
      const event = { name: "channel.closed", payload: { channelId } } as const;
      return store.applyOptimistically(event, ["channel.listDirect", {}]);
    },
  },
};

/** The known profiles of those in the user's direct messages, the latest first, and of friends. The user is among them. */
export function useContacts(): User[] {
  const { data: friends = [] } = useFriends();
  const { data: directs = [] } = useDirects();
  const ids = [...directs.flatMap(({ memberIds }) => memberIds), ...friends.map(({ userId }) => userId)];
  return useUsers([...new Set(ids)]);
}

/** Undefined while loading. */
export function useUser(userId: string | null | undefined): User | undefined {
  const { store } = useServerCache();
  const user = useStoreState(({ users }) => (userId ? users[userId] : undefined));
  useEffect(() => {
    if (userId && user === undefined) store.requestUser(userId);
  }, [store, userId, user]);
  return user;
}

/** The profiles that are already known. */
export function useUsers(userIds: readonly string[]): User[] {
  const { store } = useServerCache();
  const users = useStoreState((state) => state.users);
  const joined = userIds.join(" ");
  useEffect(() => {
    for (const id of joined.split(" ")) if (id !== "") store.requestUser(id);
  }, [store, joined]);
  return userIds.flatMap((id) => users[id] ?? []);
}

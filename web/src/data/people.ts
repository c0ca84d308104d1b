import { directsOf, friendRequestsOf, friendsOf } from "@fanfare/client/store";
import type { ChannelState, Friend, FriendRequest, Reach, User } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useActionQuery, useServerCache } from "./data-context.ts";
import type { Effects } from "./lookup.ts";
import { type Loaded, useLoaded, useStoreState } from "./store.ts";

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

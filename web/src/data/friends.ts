import type { Friend, FriendRequest, Reach } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useAsk, useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { withItem, without } from "./lookup.ts";
import type { On } from "./connection.ts";

const PARAMS = { limit: LIMITS.pageMaxItems } as const;
const PAGING = { param: "cursor", next: "nextCursor" } as const;

/** Only for accounts: guests have no friends, and the answer is an error. */
export function useFriends({ enabled = true } = {}): UseQueryResult<Friend[]> {
  const cache = useServerCache();
  return useQuery({
    ...cache.askWhole("friend.list", PARAMS, { ...PAGING, list: "friends" }),
    select: ({ friends }) => friends,
    enabled,
  });
}

/** What others have asked the user, and the user others: newest first. */
export function useFriendRequests({ enabled = true } = {}): UseQueryResult<FriendRequest[]> {
  const cache = useServerCache();
  return useQuery({
    ...cache.askWhole("friend.listRequests", PARAMS, { ...PAGING, list: "requests" }),
    select: ({ requests }) => requests,
    enabled,
  });
}

/** Who may reach the user. */
export function useReach(): UseQueryResult<Reach> {
  return useAsk("friend.getReach", {}, { ...ON_OPEN, select: ({ reach }) => reach });
}

export function listenFriends(cache: ServerCache, on: On): void {
  on("friend.requested", ({ request }) => {
    cache.patchList("friend.listRequests", "requests", (requests) => [
      request,
      ...requests.filter(({ userId }) => userId !== request.userId),
    ]);
  });
  on("friend.added", ({ friend }) => addFriend(cache, friend));
  on("friend.removed", ({ userId }) => {
    dropRequest(cache, userId);
    dropFriend(cache, userId);
  });
}

function addFriend(cache: ServerCache, friend: Friend): void {
  dropRequest(cache, friend.userId);
  cache.patchList("friend.list", "friends", (friends) =>
    withItem(friends, friend, ({ userId }) => userId === friend.userId),
  );
}

function dropFriend(cache: ServerCache, userId: string): void {
  cache.patchList("friend.list", "friends", (friends) =>
    without(friends, (friend) => friend.userId === userId),
  );
}

function dropRequest(cache: ServerCache, userId: string): void {
  cache.patchList("friend.listRequests", "requests", (requests) =>
    without(requests, (request) => request.userId === userId),
  );
}

export const friendEffects: Effects = {
  "friend.accept": { after: (cache, _, { friend }) => addFriend(cache, friend) },
  "friend.decline": {
    before(cache, { userId }) {
      dropRequest(cache, userId);
      return () => cache.refetch("friend.listRequests");
    },
  },
  "friend.remove": {
    before(cache, { userId }) {
      dropRequest(cache, userId);
      dropFriend(cache, userId);
      return () => {
        cache.refetch("friend.list");
        cache.refetch("friend.listRequests");
      };
    },
  },
  "friend.setReach": {
    before(cache, params) {
      cache.patch("friend.getReach", ({ reach }) => ({ reach: { ...reach, ...params } }));
      return () => cache.refetch("friend.getReach");
    },
    after: (cache, _, answer) => cache.put("friend.getReach", {}, answer),
  },
};

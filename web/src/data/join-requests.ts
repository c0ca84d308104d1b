import { openJoinRequestsOf } from "@fanfare/client/store";
import type { JoinRequest, OwnJoinRequest } from "@fanfare/contract";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { usePagedQuery } from "./data-context.ts";
import { useCanInGroup } from "./groups.ts";
import type { Effects } from "./lookup.ts";
import { useLoaded } from "./store.ts";

/** Those who ask to join a group, oldest first. */
export function useJoinRequests(groupId: string): UseInfiniteQueryResult<JoinRequest[]> {
  return usePagedQuery("join.list", { groupId }, "requests", "cursor", ({ nextCursor }) => nextCursor);
}

/** How many users ask to join a group; 0 for members who can't approve them. */
export function useOpenJoinRequests(groupId: string): number {
  const enabled = useCanInGroup(groupId, "kickMembers");
  const { data = 0 } = useLoaded(
    "join.getOpenCount",
    { groupId },
    (state) => openJoinRequestsOf(state, groupId),
    { enabled },
  );
  return enabled ? data : 0;
}

/** The user's own requests, by group. */
export function useOwnJoinRequests(): Readonly<Record<string, OwnJoinRequest>> | undefined {
  return useLoaded("join.listMine", {}, ({ joinRequests }) => joinRequests ?? undefined).data;
}

export const joinRequestEffects: Effects = {
  "join.approve": {
    after: (cache, { groupId, userIds }, { failures }) =>
      cache.remove(
        "join.list",
        "requests",
        ({ userId }) =>
          userIds.includes(userId) &&
          failures.every((failure) => failure.userId !== userId || failure.error !== "LIMIT_REACHED"),
        { groupId },
      ),
  },
  "join.reject": {
    after: (cache, { groupId, userIds }) =>
      cache.remove("join.list", "requests", ({ userId }) => userIds.includes(userId), { groupId }),
  },
};

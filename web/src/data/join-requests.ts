import { openJoinRequestsOf } from "@fanfare/client/store";
import type { Group, JoinRequest, OwnJoinRequest } from "@fanfare/contract";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { useNow } from "../shared/hooks.ts";
import { ON_OPEN, useActionQuery, usePagedQuery } from "./data-context.ts";
import { useCanInGroup } from "./groups.ts";
import type { Effects } from "./lookup.ts";
import { useLoaded } from "./store.ts";

/** Those who ask to join a group, oldest first. */
export function useJoinRequests(groupId: string): UseInfiniteQueryResult<JoinRequest[]> {
  return usePagedQuery("join.list", { groupId }, "requests", "cursor", "nextCursor");
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

/** When the lockdown of the group ends; null: there is none. */
export function useLockdown({ lockdownUntil }: Pick<Group, "lockdownUntil">): string | null {
  const now = useNow();
  return lockdownUntil !== null && Date.parse(lockdownUntil) > now ? lockdownUntil : null;
}

/** Only for members who can change it. */
export function useRaidLimit(groupId: string): UseQueryResult<number | null> {
  return useActionQuery("group.get", { groupId }, { ...ON_OPEN, select: ({ group }) => group.raidLimit });
}

export const joinRequestEffects: Effects = {
  "group.update": { after: (cache, { groupId }) => cache.refetch("group.get", { groupId }) },
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

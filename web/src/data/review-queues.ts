import { openReportsOf, openJoinRequestsOf } from "@fanfare/client/store";
import type { Report, Group, JoinRequest, OwnJoinRequest } from "@fanfare/contract";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { usePagedQuery, ON_OPEN, useActionQuery } from "./data-context.ts";
import { useCanInGroup } from "./groups.ts";
import type { Effects } from "./lookup.ts";
import { useMe } from "./me.ts";
import { useLoaded } from "./store.ts";
import { useNow } from "../shared/hooks.ts";

/** The open reports of a group, newest first. */
export function useReports(groupId: string): UseInfiniteQueryResult<Report[]> {
  return usePagedQuery("report.list", { groupId }, "reports", "cursor", "nextCursor");
}

/** The open reports of direct messages, newest first. For admins. */
export function useDirectReports(): UseInfiniteQueryResult<Report[]> {
  return usePagedQuery("admin.listReports", {}, "reports", "cursor", "nextCursor");
}

/** The number of reported messages in a group; 0 for users who don't moderate it. Capped at 100, which means 100 or more. */
export function useOpenReports(groupId: string): number {
  const enabled = useCanInGroup(groupId, "manageMessages");
  const { data = 0 } = useLoaded(
    "report.getOpenCount",
    { groupId },
    (state) => openReportsOf(state, groupId),
    { enabled },
  );
  return enabled ? data : 0;
}

/** The same for direct messages; 0 for users who are not admins. */
export function useOpenDirectReports(): number {
  const { admin: enabled } = useMe();
  const { data = 0 } = useLoaded("admin.getOpenReportCount", {}, (state) => openReportsOf(state, null), {
    enabled,
  });
  return enabled ? data : 0;
}

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

export const reviewEffects: Effects = {
  "report.close": {
    after: (cache, { groupId, reportId }) =>
      cache.remove("report.list", "reports", ({ id }) => id === reportId, { groupId }),
  },
  "admin.closeReport": {
    after: (cache, { reportId }) => cache.remove("admin.listReports", "reports", ({ id }) => id === reportId),
  },
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

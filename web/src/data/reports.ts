import { openReportsOf } from "@fanfare/client/store";
import type { Report } from "@fanfare/contract";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { usePagedQuery } from "./data-context.ts";
import { useCanInGroup } from "./groups.ts";
import type { Effects } from "./lookup.ts";
import { useMe } from "./me.ts";
import { useLoaded } from "./store.ts";

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

export const reportEffects: Effects = {
  "report.close": {
    after: (cache, { groupId, reportId }) =>
      cache.remove("report.list", "reports", ({ id }) => id === reportId, { groupId }),
  },
  "admin.closeReport": {
    after: (cache, { reportId }) => cache.remove("admin.listReports", "reports", ({ id }) => id === reportId),
  },
};

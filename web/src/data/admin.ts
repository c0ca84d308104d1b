import type { AdminAuditEntry, AdminUser, DeadJob, Group, LegalHold, Result } from "@fanfare/contract";
import { type UseInfiniteQueryResult, type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useActionQuery, useServerCache, whenOnline, usePagedQuery } from "./data-context.ts";
import { type Effects, updateMatching } from "./lookup.ts";

/** The server caches its counts for ten seconds. */
const STATS_INTERVAL_MS = 10_000;

export function useAdminStats(): UseQueryResult<Result<"admin.stats">> {
  return useActionQuery("admin.stats", {}, { ...ON_OPEN, refetchInterval: STATS_INTERVAL_MS });
}

/** The access policy, and which of its values are fixed by the environment. */
export function useAdminPolicy(): UseQueryResult<Result<"admin.getPolicy">> {
  return useActionQuery("admin.getPolicy", {}, ON_OPEN);
}

/** Newest first. A query matches the start of names and email addresses. */
export function useAdminUsers(query = ""): UseInfiniteQueryResult<AdminUser[]> {
  const text = query.trim();
  const params = text === "" ? {} : { query: text };
  return usePagedQuery("admin.listUsers", params, "users", "beforeUserId", "nextUserId");
}

export function useAdminGroups(): UseInfiniteQueryResult<Group[]> {
  return usePagedQuery("admin.listGroups", {}, "groups", "beforeGroupId", "nextGroupId");
}

export function useAdminAuditLog(): UseInfiniteQueryResult<AdminAuditEntry[]> {
  return usePagedQuery("admin.auditLog", {}, "entries", "beforeId", "nextId");
}

/** Dead-lettered jobs, newest first. */
export function useDeadJobs(): UseInfiniteQueryResult<DeadJob[]> {
  return usePagedQuery("admin.listDeadJobs", {}, "jobs", "beforeJobId", "nextJobId");
}

export function useInstalledPlugins(): UseQueryResult<Result<"admin.listPlugins">> {
  return useActionQuery("admin.listPlugins", {}, ON_OPEN);
}

const IMPORT_INTERVAL_MS = 2000;

/** Newest first. */
export function useChatImports(): UseQueryResult<Result<"admin.listChatImports">> {
  return useActionQuery("admin.listChatImports", {}, { ...ON_OPEN, refetchInterval: IMPORT_INTERVAL_MS });
}

/** Newest first, including ended ones. */
export function useLegalHolds(): UseInfiniteQueryResult<LegalHold[]> {
  return usePagedQuery("admin.listHolds", {}, "holds", "beforeId", "nextId");
}

const refetchUsers = { after: (cache: ServerCache) => cache.refetch("admin.listUsers") };
const refetchImports = { after: (cache: ServerCache) => cache.refetch("admin.listChatImports") };
const refetchHolds = { after: (cache: ServerCache) => cache.refetch("admin.listHolds") };

const removeJob = {
  after(cache: ServerCache, { jobId }: { jobId: string }) {
    cache.remove("admin.listDeadJobs", "jobs", ({ id }) => id === jobId);
  },
};

const replaceUser = {
  after(cache: ServerCache, _: unknown, { user }: { user: AdminUser }) {
    cache.patchList("admin.listUsers", "users", (users) =>
      updateMatching(
        users,
        ({ id }) => id === user.id,
        () => user,
      ),
    );
  },
};

export const adminEffects: Effects = {
  "admin.createUser": refetchUsers,
  "admin.resetTotp": refetchUsers,
  "admin.disableUser": replaceUser,
  "admin.enableUser": replaceUser,
  "admin.setAdmin": replaceUser,
  "admin.runChatImport": refetchImports,
  "admin.deleteChatImport": refetchImports,
  "admin.startHold": refetchHolds,
  "admin.endHold": refetchHolds,
  "admin.deletePluginData": { after: (cache) => cache.refetch("admin.listPlugins") },
  "admin.deleteGroup": {
    after(cache, { groupId }) {
      cache.remove("admin.listGroups", "groups", ({ id }) => id === groupId);
    },
  },
  "admin.retryJob": removeJob,
  "admin.deleteJob": removeJob,
  "admin.setPolicy": {
    after: (cache, _, response) => cache.patch("admin.getPolicy", () => response),
  },
  "admin.setMaintenance": {
    after: (cache, _, { maintenance }) => cache.patch("admin.stats", (stats) => ({ ...stats, maintenance })),
  },
};

const POLL_INTERVAL_MS = 5000;
/** More often at first: a single round trip says little. */
const FIRST_INTERVAL_MS = 1000;
const FIRST_ROUND_TRIPS = 5;
/** Ten minutes. */
const MAX_ROUND_TRIPS = 120;

export interface RoundTrip {
  atMs: number;
  durationMs: number;
}

export interface ServerStatus extends Result<"server.getStatus"> {
  /** Oldest first; the last one belongs to this response. */
  roundTrips: RoundTrip[];
}

/** Polls the gateway's status and measures the round trips. */
export function useServerStatus(): UseQueryResult<ServerStatus> {
  const { client, queries } = useServerCache();
  const queryKey = ["server.getStatus", {}, "roundTrips"];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<ServerStatus> => {
      await whenOnline(client, signal);
      const startedMs = performance.now();
      const response = await client.call("server.getStatus", {});
      const roundTrip = { atMs: Date.now(), durationMs: performance.now() - startedMs };
      const before = queries.getQueryData<ServerStatus>(queryKey)?.roundTrips ?? [];
      return { ...response, roundTrips: [...before, roundTrip].slice(-MAX_ROUND_TRIPS) };
    },
    ...ON_OPEN,
    refetchInterval: ({ state: { data } }) =>
      (data?.roundTrips.length ?? 0) < FIRST_ROUND_TRIPS ? FIRST_INTERVAL_MS : POLL_INTERVAL_MS,
  });
}

/** Polls the metrics of all gateways. For admins only. */
export function useAdminMetrics(): UseQueryResult<Result<"admin.metrics">> {
  return useActionQuery("admin.metrics", {}, { ...ON_OPEN, refetchInterval: POLL_INTERVAL_MS });
}

import type { AdminAuditEntry, AdminUser, DeadJob, Group, Result } from "@fanfare/contract";
import {
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useAsk, useServerCache, whenOnline } from "./data-context.ts";
import { type Effects, changed, without } from "./lookup.ts";

/** The server's counts are up to ten seconds old. */
const STATS_EVERY_MS = 10_000;

/** How much there is, asked for again and again while it is shown. */
export function useAdminStats(): UseQueryResult<Result<"admin.stats">> {
  return useAsk("admin.stats", {}, { ...ON_OPEN, refetchInterval: STATS_EVERY_MS });
}

/** Who gets in, and which of that the environment decides. */
export function useAdminPolicy(): UseQueryResult<Result<"admin.getPolicy">> {
  return useAsk("admin.getPolicy", {}, ON_OPEN);
}

/** Users, newest first, page by page; with a query those whose name or address begins so. */
export function useAdminUsers(query = ""): UseInfiniteQueryResult<AdminUser[]> {
  const cache = useServerCache();
  const text = query.trim();
  return useInfiniteQuery({
    ...cache.askPages(
      "admin.listUsers",
      text === "" ? {} : { query: text },
      "beforeUserId",
      ({ nextUserId }) => nextUserId,
    ),
    ...ON_OPEN,
    select: ({ pages }) => pages.flatMap(({ users }) => users),
  });
}

export function useAdminGroups(): UseInfiniteQueryResult<Group[]> {
  const cache = useServerCache();
  return useInfiniteQuery({
    ...cache.askPages("admin.listGroups", {}, "beforeGroupId", ({ nextGroupId }) => nextGroupId),
    ...ON_OPEN,
    select: ({ pages }) => pages.flatMap(({ groups }) => groups),
  });
}

/** What admins have done, newest first, page by page. */
export function useAdminAuditLog(actorId?: string): UseInfiniteQueryResult<AdminAuditEntry[]> {
  const cache = useServerCache();
  return useInfiniteQuery({
    ...cache.askPages(
      "admin.auditLog",
      actorId === undefined ? {} : { actorId },
      "beforeId",
      ({ nextId }) => nextId,
    ),
    ...ON_OPEN,
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
  });
}

/** Background jobs that failed on every try, the latest first, page by page. */
export function useDeadJobs(): UseInfiniteQueryResult<DeadJob[]> {
  const cache = useServerCache();
  return useInfiniteQuery({
    ...cache.askPages("admin.listDeadJobs", {}, "beforeJobId", ({ nextJobId }) => nextJobId),
    ...ON_OPEN,
    select: ({ pages }) => pages.flatMap(({ jobs }) => jobs),
  });
}

const jobGone = {
  after(cache: ServerCache, { jobId }: { jobId: string }) {
    cache.patchList("admin.listDeadJobs", "jobs", (jobs) => without(jobs, ({ id }) => id === jobId));
  },
};

const userAnswered = {
  after(cache: ServerCache, _: unknown, { user }: { user: AdminUser }) {
    cache.patchList("admin.listUsers", "users", (users) =>
      changed(
        users,
        ({ id }) => id === user.id,
        () => user,
      ),
    );
  },
};

export const adminEffects: Effects = {
  "admin.createUser": { after: (cache) => cache.refetch("admin.listUsers") },
  "admin.disableUser": userAnswered,
  "admin.enableUser": userAnswered,
  "admin.setAdmin": userAnswered,
  "admin.deleteGroup": {
    after(cache, { groupId }) {
      cache.patchList("admin.listGroups", "groups", (groups) => without(groups, ({ id }) => id === groupId));
    },
  },
  "admin.retryJob": jobGone,
  "admin.deleteJob": jobGone,
  "admin.setPolicy": {
    after: (cache, _, answer) => cache.patch("admin.getPolicy", () => answer),
  },
  "admin.setMaintenance": {
    after: (cache, _, { maintenance }) => cache.patch("admin.stats", (stats) => ({ ...stats, maintenance })),
  },
};

const ASK_EVERY_MS = 5000;
/** At first more often: one round trip says little. */
const FIRST_EVERY_MS = 1000;
const FIRST_ROUND_TRIPS = 5;
/** Round trips that are kept: of ten minutes. */
const MAX_ROUND_TRIPS = 120;

export interface RoundTrip {
  atMs: number;
  durationMs: number;
}

export interface ServerStatus extends Result<"server.getStatus"> {
  /** Oldest first; the last one is of this answer. */
  roundTrips: RoundTrip[];
}

/** What the gateway says of itself, asked for again and again, and how long it took to answer. */
export function useServerStatus(): UseQueryResult<ServerStatus> {
  const { client, queries } = useServerCache();
  const queryKey = ["server.getStatus", {}, "roundTrips"];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<ServerStatus> => {
      await whenOnline(client, signal);
      const startedMs = performance.now();
      const answer = await client.call("server.getStatus", {});
      const roundTrip = { atMs: Date.now(), durationMs: performance.now() - startedMs };
      const before = queries.getQueryData<ServerStatus>(queryKey)?.roundTrips ?? [];
      return { ...answer, roundTrips: [...before, roundTrip].slice(-MAX_ROUND_TRIPS) };
    },
    ...ON_OPEN,
    refetchInterval: ({ state: { data } }) =>
      (data?.roundTrips.length ?? 0) < FIRST_ROUND_TRIPS ? FIRST_EVERY_MS : ASK_EVERY_MS,
  });
}

/** What all gateways did in the last minutes, asked for again and again while it is shown. Only for admins. */
export function useAdminMetrics(): UseQueryResult<Result<"admin.metrics">> {
  return useAsk("admin.metrics", {}, { ...ON_OPEN, refetchInterval: ASK_EVERY_MS });
}

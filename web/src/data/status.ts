import type { Result } from "@fanfare/contract";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ON_OPEN, useAsk, useServerCache } from "./data-context.ts";
import { whenOnline } from "./connection.ts";

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

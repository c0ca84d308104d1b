import type { ActionName, Params, Result } from "@fanfare/contract";
import {
  QueryClient,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQuery,
  type UseQueryResult,
} from "@tanstack/react-query";
import { createContext, useContext, useEffect, useSyncExternalStore } from "react";
import { FanfareError, type ClientEvents, type ConnectionState, type FanfareClient } from "@fanfare/client";
import type { LoadName } from "@fanfare/client/store";
import { useHandler } from "../shared/hooks.ts";
import type { ItemOf, NextOf, ServerCache } from "./cache.ts";

export const DataContext = createContext<ServerCache | null>(null);

export function useServerCache(): ServerCache {
  const cache = useContext(DataContext);
  if (cache === null) throw new Error("This is for components within DataProvider.");
  return cache;
}

interface ActionQueryOptions {
  /** Use ON_OPEN for data that no event keeps current. */
  staleTime?: number;
  enabled?: boolean;
  refetchInterval?: number | false;
}

/** Loads a single response. Data in the session's state is read with `useLoaded` instead. */
export function useActionQuery<N extends Exclude<ActionName, LoadName>, T = Result<N>>(
  name: N,
  params: Params<N>,
  { select, ...options }: ActionQueryOptions & { select?: (response: Result<N>) => T } = {},
): UseQueryResult<T> {
  const cache = useServerCache();
  return useQuery({
    ...cache.query(name, params),
    ...options,
    ...(select === undefined ? {} : { select }),
  } as Parameters<typeof useQuery<Result<N>, Error, T>>[0]);
}

/** Loads a paged list. `param` takes the cursor of the next page. */
export function usePagedQuery<N extends ActionName, L extends keyof Result<N>>(
  name: N,
  params: Params<N>,
  list: L,
  param: keyof Params<N> & string,
  next: NextOf<N>,
  options: Pick<ActionQueryOptions, "staleTime"> = ON_OPEN,
): UseInfiniteQueryResult<ItemOf<Result<N>[L]>[]> {
  return useInfiniteQuery({
    ...useServerCache().pagedQuery(name, params, param, next),
    ...options,
    select: ({ pages }) => pages.flatMap((page) => page[list] as ItemOf<Result<N>[L]>[]),
  });
}

const MAX_TRIES = 5;
const RETRY_BASE_MS = 500;
const RETRY_MAX_MS = 10_000;
/** How long unused responses are kept. */
const UNUSED_TTL_MS = 10 * 60_000;

/** For data that no event keeps current: it is refetched each time it is shown. */
export const ON_OPEN = { staleTime: 0 } as const;

/** Nothing is refetched automatically: events keep responses current, and a reconnect refetches all of them. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        gcTime: UNUSED_TTL_MS,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // The SDK knows the connection state better than the browser.
        networkMode: "always",
        retry: (failures, error) =>
          error instanceof FanfareError && error.retryable && failures + 1 < MAX_TRIES,
        retryDelay,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

function retryDelay(failures: number, error: unknown): number {
  const requestedMs = error instanceof FanfareError ? error.retryAfterMs : 0;
  const own = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** failures);
  return requestedMs + own * (0.5 + Math.random() / 2);
}

/** How long after a failure it is loaded again, if the user waits for it. */
const RETRY_AFTER_MS = 2000;

/** Repeats the loads that failed while the user waits for them. */
export function useRetries(
  isWaiting: boolean,
  loads: readonly { error: unknown; refetch: () => unknown }[],
): void {
  const failed = loads.filter(({ error }) => error !== null);
  const retry = useHandler(() => {
    for (const { refetch } of failed) void refetch();
  });
  const mustRetry = isWaiting && failed.length > 0;
  useEffect(() => {
    if (!mustRetry) return undefined;
    const timer = setInterval(retry, RETRY_AFTER_MS);
    return () => clearInterval(timer);
  }, [mustRetry, retry]);
}

export function useConnectionState(): ConnectionState {
  const { client } = useServerCache();
  return useSyncExternalStore(
    (onChange) => client.on("connection.changed", onChange),
    () => client.state,
  );
}

/** Subscribes to an event for the lifetime of the cache. */
export type On = <N extends keyof ClientEvents>(
  name: N,
  listener: (payload: ClientEvents[N]) => void,
) => void;

/** Resolves when the client receives events, so that no change after the response is missed. */
export function whenOnline(client: FanfareClient, signal: AbortSignal): Promise<void> {
  if (client.state === "online" || client.state === "closed") return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = client.on("connection.changed", ({ state }) => {
      if (state !== "online" && state !== "closed") return;
      end();
      resolve();
    });
    signal.addEventListener("abort", () => {
      end();
      reject(signal.reason as Error);
    });
  });
}

import type { ActionName, Params, Result } from "@fanfare/contract";
import {
  QueryClient,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQuery,
  type UseQueryResult,
} from "@tanstack/react-query";
import { createContext, useContext, useSyncExternalStore } from "react";
import { FanfareError, type ClientEvents, type ConnectionState, type FanfareClient } from "@fanfare/client";
import type { LoadName } from "@fanfare/client/store";
import type { ItemOf, ServerCache } from "./cache.ts";

export const DataContext = createContext<ServerCache | null>(null);

/** What the page knows of the server. */
export function useServerCache(): ServerCache {
  const cache = useContext(DataContext);
  if (cache === null) throw new Error("This is for components within DataProvider.");
  return cache;
}

interface AskOptions {
  /** ON_OPEN for what no event keeps up. */
  staleTime?: number;
  enabled?: boolean;
  refetchInterval?: number | false;
}

/** One answer of the server. What the session's state has is read with `useLoaded`, which events keep up. */
export function useAsk<N extends Exclude<ActionName, LoadName>, T = Result<N>>(
  name: N,
  params: Params<N>,
  { select, ...options }: AskOptions & { select?: (answer: Result<N>) => T } = {},
): UseQueryResult<T> {
  const cache = useServerCache();
  return useQuery({
    ...cache.ask(name, params),
    ...options,
    ...(select === undefined ? {} : { select }),
  } as Parameters<typeof useQuery<Result<N>, Error, T>>[0]);
}

/** A list that is read page by page: `list` of each, one after the other. `nextOf` answers the cursor of the next page. */
export function usePages<N extends ActionName, L extends keyof Result<N>>(
  name: N,
  params: Params<N>,
  list: L,
  param: keyof Params<N> & string,
  nextOf: (page: Result<N>) => string | number | null | undefined,
  options: Pick<AskOptions, "staleTime"> = ON_OPEN,
): UseInfiniteQueryResult<ItemOf<Result<N>[L]>[]> {
  return useInfiniteQuery({
    ...useServerCache().askPages(name, params, param, nextOf),
    ...options,
    select: ({ pages }) => pages.flatMap((page) => page[list] as ItemOf<Result<N>[L]>[]),
  });
}

const MAX_TRIES = 5;
const RETRY_BASE_MS = 500;
const RETRY_MAX_MS = 10_000;
/** What is not shown any more is kept for so long. */
const UNUSED_KEPT_MS = 10 * 60_000;

/** For answers that no event keeps up: asked for each time they are opened. */
export const ON_OPEN = { staleTime: 0 } as const;

/** Nothing is asked for again by itself: events keep the answers, and after a loss of the connection all are asked for again. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        gcTime: UNUSED_KEPT_MS,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // Whether there is a connection the SDK knows better than the browser.
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
  const asked = error instanceof FanfareError ? error.retryAfterMs : 0;
  const own = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** failures);
  return asked + own * (0.5 + Math.random() / 2);
}

/** Whether what is shown is live. */
export function useConnectionState(): ConnectionState {
  const { client } = useServerCache();
  return useSyncExternalStore(
    (onChange) => client.on("connection.changed", onChange),
    () => client.state,
  );
}

/** Listens to an event as long as the cache is kept up. */
export type On = <N extends keyof ClientEvents>(
  name: N,
  listener: (payload: ClientEvents[N]) => void,
) => void;

/** Resolves when the client receives events, so that none is missed after an answer. */
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

import type { ActionName, Params, Result } from "@fanfare/contract";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { ServerCache } from "./cache.ts";

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

/** One answer of the server, kept up by events. */
export function useAsk<N extends ActionName, T = Result<N>>(
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

import type { FanfareClient } from "@fanfare/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { DataContext, newQueryClient, type On } from "./data-context.ts";
import { ServerCache } from "./cache.ts";
import { RESYNC_SPREAD_MS } from "./channel-history.ts";
import { listenSpeakers } from "./calls.ts";
import { retryFileUrls } from "./files.ts";
import { listenOwnReactions, refreshOwnReactions } from "./own-reactions.ts";
import { keepSaved, restoreData } from "./saved-data.ts";
import { listenTyping } from "./presence.ts";

interface DataProviderProps {
  client: FanfareClient;
  /** Shown while stored data is read. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Provides the data of the client's user. */
export function DataProvider({ client, fallback, children }: DataProviderProps) {
  const cache = useMemo(() => new ServerCache(client, newQueryClient()), [client]);
  const [restored, setRestored] = useState<ServerCache | null>(null);
  // Not with Suspense: React shows its content no earlier than 300 ms after the fallback.
  useLayoutEffect(() => {
    void restoreData(cache).then(() => setRestored(cache));
  }, [cache]);
  useEffect(() => startLive(cache), [cache]);
  return (
    <QueryClientProvider client={cache.queries}>
      <DataContext value={cache}>{restored === cache ? children : fallback}</DataContext>
    </QueryClientProvider>
  );
}

const LISTENERS: ((cache: ServerCache, on: On) => void)[] = [
  listenOwnReactions,
  listenTyping,
  listenSpeakers,
];

/**
 * Keeps the cache current: by events, and by refetching visible data after events may have been missed.
 * @returns a function that stops it
 */
function startLive(cache: ServerCache): () => void {
  const ends: (() => void)[] = [];
  const on: On = (name, listener) => void ends.push(cache.client.on(name, listener));
  const refetch = (): void => {
    void cache.queries.invalidateQueries();
    refreshOwnReactions(cache);
    retryFileUrls(cache);
  };
  let later: ReturnType<typeof setTimeout> | undefined;
  on("ready", refetch);
  on("resync", () => {
    clearTimeout(later);
    later = setTimeout(refetch, Math.random() * RESYNC_SPREAD_MS);
  });
  for (const listen of LISTENERS) listen(cache, on);
  ends.push(
    cache.store.onInvalidation(({ name, params, crowd, afterMs }) =>
      cache.refetchSoon(name, params, crowd, afterMs),
    ),
  );
  ends.push(keepSaved(cache));
  return () => {
    clearTimeout(later);
    cache.stopTimers();
    for (const end of ends) end();
  };
}

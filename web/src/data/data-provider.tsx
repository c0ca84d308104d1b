import type { FanfareClient } from "@fanfare/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, Suspense, use, useEffect, useMemo } from "react";
import { DataContext, newQueryClient, type On } from "./data-context.ts";
import { ServerCache } from "./cache.ts";
import { listenOwnReactions } from "./own-reactions.ts";
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
  const restored = useMemo(() => restoreData(cache), [cache]);
  useEffect(() => startLive(cache), [cache]);
  return (
    <QueryClientProvider client={cache.queries}>
      <DataContext value={cache}>
        <Suspense fallback={fallback}>
          <Restored when={restored}>{children}</Restored>
        </Suspense>
      </DataContext>
    </QueryClientProvider>
  );
}

function Restored({ when, children }: { when: Promise<void>; children: ReactNode }) {
  use(when);
  return children;
}

const LISTENERS: ((cache: ServerCache, on: On) => void)[] = [listenOwnReactions, listenTyping];

/** After a resync, clients refetch spread over up to this time. */
const RESYNC_SPREAD_MS = 2000;

/**
 * Keeps the cache current: by events, and by refetching visible data after events may have been missed.
 * @returns a function that stops it
 */
function startLive(cache: ServerCache): () => void {
  const ends: (() => void)[] = [];
  const on: On = (name, listener) => void ends.push(cache.client.on(name, listener));
  const refetch = (): void => void cache.queries.invalidateQueries();
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

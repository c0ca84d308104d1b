import type { FanfareClient } from "@fanfare/client";
import { QueryClientProvider, dehydrate, hydrate } from "@tanstack/react-query";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useState } from "react";
import type { Message } from "@fanfare/contract";
import { DataContext, newQueryClient, type On } from "./data-context.ts";
import { ServerCache } from "./cache.ts";
import { RESYNC_SPREAD_MS } from "./channel-history.ts";
import { listenSpeakers } from "./calls.ts";
import { retryFileUrls } from "./files.ts";
import { listenOwnReactions, refreshOwnReactions } from "./own-reactions.ts";
import { listenTyping } from "./presence.ts";
import { isTyping } from "./frames.ts";
import { restoreChannels } from "./open-channels.ts";
import { openViews } from "./shown-channels.ts";
import {
  allChannels,
  isStored,
  openSaved,
  resultOf,
  type SavedData,
  type SavedSession,
  SESSION,
  STORE,
  takeSaved,
} from "./read-saved.ts";

interface DataProviderProps {
  client: FanfareClient;
  /** Shown while stored data is read. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Provides the data of the client's user. */
export function DataProvider({ client, fallback, children }: DataProviderProps) {
  const cache = useMemo(() => new ServerCache(client, newQueryClient()), [client]);
  const [restoring] = useState(() => restoreData(cache));
  const [isRestored, setRestored] = useState(restoring === null);
  // Not with Suspense: React shows its content no earlier than 300 ms after the fallback.
  useLayoutEffect(() => {
    void restoring?.then(() => setRestored(true));
  }, [restoring]);
  useEffect(() => startLive(cache), [cache]);
  return (
    <QueryClientProvider client={cache.queries}>
      <DataContext value={cache}>{isRestored ? children : fallback}</DataContext>
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

/*
 * The session's state and the last messages of the last channels are stored in this browser, so that the next visit shows them at once and
 * without a network. Only for sessions that stay logged in. `session-store.ts` deletes the database when the session ends.
 */

const MAX_CHANNELS = 20;
const MAX_MESSAGES = 50;
/** Of the messages of a channel, in characters as JSON. A larger channel is not stored. */
const MAX_CHANNEL_CHARS = 400_000;
const MAX_STATE_CHARS = 4_000_000;
const SAVE_AFTER_MS = 2000;
/** A browser that can't read its storage in this time does without. */
const READ_TIMEOUT_MS = 1000;
/** Lists that are part of every page. */
const isSaved = (name: unknown): boolean => name === "channel.listThreads" || name === "user.listBlocked";

/**
 * Shows what an earlier page of this user stored.
 * @returns null if it has been shown; a promise while it is being read, which resolves in any case
 */
function restoreData(cache: ServerCache): Promise<void> | null {
  if (!isStored()) return null;
  const saved = takeSaved();
  if (saved instanceof Promise) return restoreOnceRead(cache, saved);
  restore(cache, saved);
  return null;
}

async function restoreOnceRead(cache: ServerCache, saved: Promise<SavedData>): Promise<void> {
  const timeout = new Promise<null>((resolve) => setTimeout(resolve, READ_TIMEOUT_MS, null));
  const read = await Promise.race([saved.catch(() => null), timeout]);
  if (read !== null) restore(cache, read);
}

function restore({ client, store, queries }: ServerCache, { session, channels }: SavedData): void {
  if (session === undefined || client.state === "closed") return;
  if (session.userId !== client.user?.id) return void clearSaved().catch(() => undefined);
  store.restore(session.state);
  hydrate(queries, session.queries);
  // They may have changed since: each is fetched again once it is used.
  void queries.invalidateQueries();
  restoreChannels(client, channels);
}

/** Stores the data a moment after each change, but not while the user types. Returns a function that stops it. */
function keepSaved(cache: ServerCache): () => void {
  const { client, store } = cache;
  if (!isStored()) return () => {};
  const stored = new Map<string, readonly Message[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (client.state === "online") void write(cache, stored).catch(() => undefined);
  };
  const saveInPause = (): void => {
    if (isTyping()) timer = setTimeout(saveInPause, SAVE_AFTER_MS);
    else save();
  };
  const end = store.subscribe(() => {
    timer ??= setTimeout(saveInPause, SAVE_AFTER_MS);
  });
  addEventListener("pagehide", save);
  return () => {
    clearTimeout(timer);
    removeEventListener("pagehide", save);
    end();
  };
}

async function clearSaved(): Promise<void> {
  const database = await openSaved();
  try {
    await resultOf(database.transaction(STORE, "readwrite").objectStore(STORE).clear());
  } finally {
    database.close();
  }
}

async function write(
  { client, store, queries }: ServerCache,
  stored: Map<string, readonly Message[]>,
): Promise<void> {
  const userId = store.state.userId;
  const state = store.save();
  if (userId === null || state.groups === null || JSON.stringify(state).length > MAX_STATE_CHARS) return;
  const views = openViews(client).slice(-MAX_CHANNELS);
  const database = await openSaved();
  try {
    // The session can have ended meanwhile.
    if (client.state !== "online") return;
    const data = database.transaction(STORE, "readwrite").objectStore(STORE);
    const channelIds = views.map(({ channelId }) => channelId);
    const session: SavedSession = {
      userId,
      state,
      queries: dehydrate(queries, {
        shouldDehydrateQuery: ({ queryKey, state: { status } }) =>
          status === "success" && isSaved(queryKey[0]),
      }),
    };
    data.put(session, SESSION);
    for (const view of views) {
      const { messages } = view;
      const saved = view.save(MAX_MESSAGES);
      if (saved === undefined) data.delete(`channel:${view.channelId}`);
      else if (stored.get(view.channelId) !== messages && JSON.stringify(saved).length <= MAX_CHANNEL_CHARS)
        data.put(saved, `channel:${view.channelId}`);
      stored.set(view.channelId, messages);
    }
    const keys = await resultOf(data.getAllKeys(allChannels()));
    // Channels that were opened on earlier visits.
    const others = keys
      .map((key) => (key as string).slice("channel:".length))
      .filter((id) => !channelIds.includes(id));
    const kept = others
      .filter((id) => state.channels[id] !== undefined)
      .slice(0, MAX_CHANNELS - views.length);
    for (const id of others) if (!kept.includes(id)) data.delete(`channel:${id}`);
  } finally {
    database.close();
  }
}

import { useSyncExternalStore } from "react";
import type { ServerCache } from "./cache.ts";
import type { On } from "./connection.ts";
import { useServerCache } from "./data-context.ts";
import { perCache } from "./per-cache.ts";

interface ServerNotices {
  /** The last announcement of the admins; null before the first one, and when it was dismissed. */
  announcement: { text: string; announcedAt: string } | null;
  /** The message of maintenance mode; null while it is off. */
  pausedBecause: string | null;
}

const noticesOf = perCache(() => {
  let notices: ServerNotices = { announcement: null, pausedBecause: null };
  const listeners = new Set<() => void>();
  return {
    get: () => notices,
    set: (next: Partial<ServerNotices>): void => {
      notices = { ...notices, ...next };
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
});

export function useServerNotices(): ServerNotices & { dismiss: () => void } {
  const store = noticesOf(useServerCache());
  const notices = useSyncExternalStore(store.subscribe, store.get);
  return { ...notices, dismiss: () => store.set({ announcement: null }) };
}

export function listenServerNotices(cache: ServerCache, on: On): void {
  const store = noticesOf(cache);
  on("server.announced", (announcement) => store.set({ announcement }));
  on("server.paused", ({ message }) => store.set({ pausedBecause: message }));
  on("server.resumed", () => store.set({ pausedBecause: null }));
}

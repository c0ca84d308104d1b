import type { ChannelSnapshot, ChannelView, FanfareClient } from "@fanfare/client";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { useConnectionState, useServerCache } from "./data-context.ts";

/** So many channels are kept exact besides the one that is shown; those that were shown longest ago are closed. */
const MAX_OPEN = 20;

const openOf = new WeakMap<FanfareClient, Set<ChannelView>>();

/** Notes that a channel is shown now. */
export function showChannel(client: FanfareClient, view: ChannelView): void {
  const open = openOf.get(client) ?? new Set();
  openOf.set(client, open);
  open.delete(view);
  open.add(view);
  for (const oldest of open) {
    if (open.size <= MAX_OPEN) return;
    // What was written there must still be sent.
    if (oldest.snapshot.pending.length > 0) continue;
    open.delete(oldest);
    oldest.close();
  }
}

export interface OpenChannel {
  /** `send`, `edit`, `delete`, `loadBefore`, `markRead`. */
  view: ChannelView;
  snapshot: ChannelSnapshot;
  /** Why it could not be loaded; null while that is under way, and when it is there. */
  error: unknown;
  /** Tries again to load it. */
  retry: () => void;
}

/** The exact copy of a channel. It stays open for a while when another one is shown: coming back shows it at once. */
export function useChannel(channelId: string): OpenChannel {
  const { client } = useServerCache();
  const view = client.channel(channelId);
  const state = useConnectionState();
  const snapshot = useSyncExternalStore(
    (onChange) => view.subscribe(onChange),
    () => view.snapshot,
  );
  const [failure, setFailure] = useState<{ view: ChannelView; error: unknown } | null>(null);
  const load = useCallback(() => {
    view.load().catch((error: unknown) => setFailure({ view, error }));
  }, [view]);
  useEffect(() => showChannel(client, view), [client, view]);
  useEffect(() => {
    if (state === "online" && view.snapshot.status !== "ready") load();
  }, [view, state, load]);
  const retry = (): void => {
    setFailure(null);
    load();
  };
  const isFailed = failure?.view === view && snapshot.status === "loading";
  return { view, snapshot, error: isFailed ? failure.error : null, retry };
}

/** At most one call in this time, however fast messages come. */
const MARK_AFTER_MS = 1000;

/**
 * Marks a channel as read up to a message once that is shown in a window that is looked at.
 * @param seq of the last message that is in view; 0 for none
 */
export function useReadMarker(view: ChannelView, seq: number): void {
  useEffect(() => {
    if (seq === 0) return undefined;
    const mark = (): void => {
      if (document.visibilityState !== "visible" || !document.hasFocus()) return;
      // The next message tries again.
      view.markRead(seq).catch(() => undefined);
    };
    const timer = setTimeout(mark, MARK_AFTER_MS);
    addEventListener("focus", mark);
    document.addEventListener("visibilitychange", mark);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", mark);
      document.removeEventListener("visibilitychange", mark);
    };
  }, [view, seq]);
}

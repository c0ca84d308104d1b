import type { ChannelSnapshot, ChannelView, FanfareClient, SavedChannel } from "@fanfare/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useConnectionState, useServerCache } from "./data-context.ts";
import { useInterruptible } from "./frames.ts";
import { showChannel } from "./shown-channels.ts";

const savedOf = new WeakMap<FanfareClient, Map<string, SavedChannel>>();

/** Stored channels, to be shown when they are opened. */
export function restoreChannels(client: FanfareClient, channels: readonly SavedChannel[]): void {
  savedOf.set(client, new Map(channels.map((saved) => [saved.channelId, saved])));
}

function viewOf(client: FanfareClient, channelId: string): ChannelView {
  const view = client.channel(channelId);
  const saved = savedOf.get(client)?.get(channelId);
  if (saved === undefined) return view;
  savedOf.get(client)?.delete(channelId);
  view.restore(saved);
  return view;
}

export interface OpenChannel {
  view: ChannelView;
  snapshot: ChannelSnapshot;
  /** Set if the channel couldn't be loaded. */
  error: unknown;
  retry: () => void;
}

/** For components beside a list of the channel's messages, which loads them. */
export function useChannelView(channelId: string): ChannelView {
  return viewOf(useServerCache().client, channelId);
}

/** The live copy of a channel. It stays open for a while after leaving, so that coming back is instant. */
export function useChannel(channelId: string): OpenChannel {
  const { client } = useServerCache();
  const view = viewOf(client, channelId);
  const state = useConnectionState();
  const snapshot = useInterruptible(view, () => view.snapshot, hasOnlyNewMessages);
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

/**
 * Whether only messages were added at the end. A virtual list would lose its place if anything else changed in a rendering that is
 * interrupted, and what the user has just done is shown at once.
 */
function hasOnlyNewMessages(before: ChannelSnapshot, now: ChannelSnapshot): boolean {
  return (
    now.status === before.status &&
    now.isOutdated === before.isOutdated &&
    now.hasOlder === before.hasOlder &&
    now.markedUnread === before.markedUnread &&
    before.pending.length + now.pending.length === 0 &&
    before.messages.every((message, index) => message === now.messages[index])
  );
}

/** Loads the messages of a channel that is about to be shown, in parallel with everything else. */
export function usePreloadedChannel(channelId: string): void {
  const { client } = useServerCache();
  const state = useConnectionState();
  useEffect(() => {
    const view = viewOf(client, channelId);
    // A failure is shown once the channel is.
    if (state === "online" && view.snapshot.status !== "ready") view.load().catch(() => undefined);
  }, [client, channelId, state]);
}

/** Limits the calls to one in this time. */
const MARK_AFTER_MS = 1000;

/**
 * Marks a channel as read up to a message that is visible in a focused window.
 * @param seqInView returns the seq of the last visible message; null while nothing is to be marked
 * @param markedUnread from the snapshot that is rendered
 * @returns a function to call when other messages have come into view without a render
 */
export function useReadMarker(
  view: ChannelView,
  seqInView: (() => number) | null,
  markedUnread: ChannelSnapshot["markedUnread"],
): () => void {
  const rendered = useRef({ seqInView, markedUnread });
  const markedSeq = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
  }, []);
  const mark = useCallback(() => {
    stop();
    if (document.visibilityState !== "visible" || !document.hasFocus()) return;
    // The user has just marked messages as unread, but that isn't rendered yet.
    if (view.snapshot.markedUnread !== rendered.current.markedUnread) return;
    const seq = rendered.current.seqInView?.() ?? 0;
    // Not twice: on another device, messages may have been marked as unread meanwhile.
    if (seq <= markedSeq.current) return;
    markedSeq.current = seq;
    // The view repeats it after a reconnect.
    view.markRead(seq).catch(() => undefined);
  }, [view, stop]);
  // Not started again by each message, since a busy channel would never be marked.
  const markSoon = useCallback(() => {
    timer.current ??= setTimeout(mark, MARK_AFTER_MS);
  }, [mark]);
  useEffect(() => {
    if (rendered.current.markedUnread !== markedUnread) markedSeq.current = 0;
    rendered.current = { seqInView, markedUnread };
    if (seqInView === null) stop();
    else markSoon();
  });
  useEffect(() => {
    const look = (): void => {
      markedSeq.current = 0;
      mark();
    };
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      stop();
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [mark, stop]);
  return markSoon;
}

import type { ChannelSnapshot } from "@fanfare/client";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useActionQuery, useConnectionState, usePagedQuery, useServerCache } from "./data-context.ts";
import { channelOf, type ClientState } from "@fanfare/client/store";
import type { ChannelState, Message } from "@fanfare/contract";
import { useInfiniteQuery, type UseInfiniteQueryResult, type UseQueryResult } from "@tanstack/react-query";
import { ChannelHistory, type HistoryPlace, seqOf } from "./channel-history.ts";
import { type OpenChannel, useChannel } from "./open-channels.ts";
import { joinLive } from "./history-window.ts";
import { type Loaded, useLatest, useLoaded, useStoreState } from "./store.ts";
import type { Effects } from "./lookup.ts";

export interface ChannelMessages extends OpenChannel {
  /** Consecutive by seq. Ends with the newest message if `isLive`, otherwise anywhere in the history. */
  messages: readonly Message[];
  isLive: boolean;
  hasOlder: boolean;
  loadOlder: () => Promise<void>;
  /** When the window reaches the live copy, the two are joined. */
  loadNewer: () => Promise<void>;
  /**
   * Shows the messages around a message, a seq or a time (ISO 8601). Resolves to the seq to scroll to; null if the channel is empty or
   * another jump has started.
   * @throws {FanfareError} MESSAGE_NOT_FOUND
   */
  jumpTo: (place: HistoryPlace) => Promise<number | null>;
  jumpToNewest: () => void;
  /** Releases older messages. Call it when the user has scrolled to the newest message. */
  releaseOlder: () => void;
}

/** The messages of a channel: the live copy or, after a jump, a window of its history. */
export function useChannelMessages(channelId: string): ChannelMessages {
  const { client } = useServerCache();
  const channel = useChannel(channelId);
  const { view, snapshot } = channel;
  const history = useMemo(() => new ChannelHistory(client, channelId), [client, channelId]);
  useEffect(() => () => history.close(), [history]);
  const past = useSyncExternalStore(history.subscribe, history.get);
  const joined = useMemo(
    () => (past === null ? { messages: snapshot.messages, isLive: true } : joinLive(past, snapshot.messages)),
    [past, snapshot.messages],
  );
  const jumpTo = useCallback(
    async (place: HistoryPlace): Promise<number | null> => {
      const seq = seqInCopy(view.snapshot, place);
      if (seq === null) return history.open(place);
      history.close();
      return seq;
    },
    [view, history],
  );
  const loadOlder = useCallback(
    () => (history.get() === null ? view.loadBefore() : history.loadOlder()),
    [view, history],
  );
  const loadNewer = useCallback(() => history.loadNewer(), [history]);
  const jumpToNewest = useCallback(() => history.close(), [history]);
  const releaseOlder = useCallback(() => history.releaseOlder(), [history]);
  return {
    ...channel,
    ...joined,
    hasOlder: past === null ? snapshot.hasOlder : past.hasOlder,
    loadOlder,
    loadNewer,
    jumpTo,
    jumpToNewest,
    releaseOlder,
  };
}

/** The seq of a place if the live copy contains it. */
function seqInCopy({ messages }: ChannelSnapshot, place: HistoryPlace): number | null {
  if ("messageId" in place) {
    const message = messages.find(({ id }) => id === place.messageId);
    return message === undefined ? null : seqOf(message);
  }
  const first = messages[0];
  if (first === undefined) return null;
  if ("seq" in place) return place.seq >= first.seq ? place.seq : null;
  return first.createdAt < place.atTime
    ? (messages.find(({ createdAt }) => createdAt >= place.atTime) ?? messages.at(-1))!.seq
    : null;
}

/** A single message, such as the target of a reply; fails with MESSAGE_NOT_FOUND. */
export function useMessage(channelId: string, messageId: string): UseQueryResult<Message> {
  const asked = useActionQuery("message.get", { channelId, messageId }, { select: ({ message }) => message });
  const latest = useStoreState(({ messages }) => messages[messageId]);
  return asked.data === undefined ? asked : { ...asked, data: latest ?? asked.data };
}

/** The pinned messages, last pinned first. */
export function usePins(channelId: string): Loaded<readonly Message[]> {
  return useLoaded("message.listPins", { channelId }, ({ pins }) => pins[channelId]);
}

/** The channel's active or archived threads, by last activity. */
export function useThreads(channelId: string, archived = false): UseInfiniteQueryResult<ChannelState[]> {
  const list = usePagedQuery(
    "channel.listThreads",
    { channelId, archived },
    "channels",
    "cursor",
    "nextCursor",
    {},
  );
  return useLatest(list, latestChannels);
}

/** The threads that the user follows in all groups, by last activity. */
export function useFollowedThreads(): UseInfiniteQueryResult<ChannelState[]> {
  const list = usePagedQuery("channel.listFollowedThreads", {}, "channels", "cursor", "nextCursor");
  return useLatest(list, latestChannels);
}

function latestChannels(state: ClientState, listed: readonly ChannelState[]): ChannelState[] {
  return listed.flatMap(({ id }) => channelOf(state, id) ?? []);
}

/**
 * Whether a list that is about to be shown has to wait for the threads of a channel in it, because they would move it.
 * @param isReady whether it could be shown otherwise
 */
export function useThreadsAwaited(channelId: string | undefined, isReady: boolean): boolean {
  const isOnline = useConnectionState() === "online";
  const [isOver, setOver] = useState(false);
  const { isPending } = useInfiniteQuery({
    ...useServerCache().pagedQuery(
      "channel.listThreads",
      { channelId: channelId ?? "", archived: false },
      "cursor",
      "nextCursor",
    ),
    enabled: channelId !== undefined,
  });
  const isAwaited = !isOver && channelId !== undefined && isOnline && isPending;
  if (!isOver && isReady && !isAwaited) setOver(true);
  return isAwaited;
}

export const threadEffects: Effects = {
  "channel.openThread": {
    after: (cache, { channelId }) => cache.refetchSoon("channel.listThreads", { channelId }),
  },
};

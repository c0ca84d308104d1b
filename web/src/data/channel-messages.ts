import type { ChannelSnapshot } from "@fanfare/client";
import { useCallback, useEffect, useSyncExternalStore, useMemo } from "react";
import { useServerCache, useAsk, usePages } from "./data-context.ts";
import { channelOf } from "@fanfare/client/store";
import type { ChannelState, Message } from "@fanfare/contract";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { ChannelHistory, type HistoryPlace } from "./channel-history.ts";
import { type OpenChannel, useChannel } from "./open-channels.ts";
import { joinLive } from "./history-window.ts";
import { type Loaded, useLatest, useLoaded, useStoreState } from "./store.ts";
import type { Effects } from "./lookup.ts";

export interface ChannelMessages extends OpenChannel {
  /** What is shown, in the order of their seq without a gap: up to the newest where `isLive`, else somewhere in the past. */
  messages: readonly Message[];
  isLive: boolean;
  hasOlder: boolean;
  hasNewer: boolean;
  loadOlder: () => Promise<void>;
  /** Where it comes up to what is live, the two become one. */
  loadNewer: () => Promise<void>;
  /**
   * Shows what is around a message, a seq or a time (ISO 8601). Resolves to the seq to scroll to; null where nothing was ever written, or
   * something else was asked for meanwhile.
   * @throws {FanfareError} MESSAGE_NOT_FOUND
   */
  jumpTo: (place: HistoryPlace) => Promise<number | null>;
  /** Shows the newest messages. */
  jumpToNewest: () => void;
  /** Releases older messages; to be called when the user has scrolled to the newest. */
  letGo: () => void;
}

/** The messages of a channel, live or in the past. Everything but what was jumped to comes from the exact copy. */
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
  const letGo = useCallback(() => history.letGo(), [history]);
  return {
    ...channel,
    ...joined,
    hasOlder: past === null ? snapshot.hasOlder : past.hasOlder,
    hasNewer: !joined.isLive,
    loadOlder,
    loadNewer,
    jumpTo,
    jumpToNewest,
    letGo,
  };
}

/** The seq of a place that the exact copy holds; null where it does not. */
function seqInCopy({ messages }: ChannelSnapshot, place: HistoryPlace): number | null {
  if ("messageId" in place) return messages.find(({ id }) => id === place.messageId)?.seq ?? null;
  const first = messages[0];
  if (first === undefined) return null;
  if ("seq" in place) return place.seq >= first.seq ? place.seq : null;
  return first.createdAt < place.atTime
    ? (messages.find(({ createdAt }) => createdAt >= place.atTime) ?? messages.at(-1))!.seq
    : null;
}

/** One message, such as what another one answers; an error MESSAGE_NOT_FOUND where there is none. */
export function useMessage(channelId: string, messageId: string): UseQueryResult<Message> {
  const asked = useAsk("message.get", { channelId, messageId }, { select: ({ message }) => message });
  const latest = useStoreState(({ messages }) => messages[messageId]);
  return asked.data === undefined ? asked : { ...asked, data: latest ?? asked.data };
}

/** The pinned messages of a channel, the last pinned first. */
export function usePins(channelId: string): Loaded<readonly Message[]> {
  return useLoaded("message.listPins", { channelId }, ({ pins }) => pins[channelId]);
}

/** The threads of a channel, or those that were put away: in which something was written last first, page by page. */
export function useThreads(channelId: string, archived = false): UseInfiniteQueryResult<ChannelState[]> {
  const list = usePages(
    "channel.listThreads",
    { channelId, archived },
    "channels",
    "cursor",
    ({ nextCursor }) => nextCursor,
    {},
  );
  return useLatest(list, (state, listed: readonly ChannelState[]) =>
    listed.flatMap(({ id }) => channelOf(state, id) ?? []),
  );
}

export const threadEffects: Effects = {
  "channel.openThread": {
    after: (cache, { channelId }) => cache.refetchSoon("channel.listThreads", { channelId }),
  },
};

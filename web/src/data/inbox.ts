import {
  type ClientState,
  dueCount,
  inboxItems,
  type SavedItem,
  savedItems,
  scheduledMessages,
  type Table,
  notificationSettings,
  type Unread,
  unreadChannels,
  unreadInChannel,
  unreadInGroup,
} from "@fanfare/client/store";
import type {
  InboxItem,
  NotificationPreferences,
  NotificationSetting,
  Result,
  SavedMessage,
  ScheduledMessage,
  UnreadChannel,
} from "@fanfare/contract";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { useNow } from "../shared/hooks.ts";
import { ON_OPEN, useActionQuery, usePagedQuery } from "./data-context.ts";
import type { Effects } from "./lookup.ts";
import { type Loaded, useLatest, useLoaded } from "./store.ts";
import type { ServerCache } from "./cache.ts";

/** Newest first. */
export function useInbox(): UseInfiniteQueryResult<InboxItem[]> {
  const list = usePagedQuery("inbox.list", {}, "items", "cursor", "nextCursor", {});
  return useLatest(list, inboxItems);
}

/** What the user saved for later, by message. */
export function useSaved(): Loaded<Table<SavedMessage>> {
  return useLoaded("saved.list", {}, ({ saved }) => saved ?? undefined);
}

const NONE: readonly ScheduledMessage[] = [];

/** The messages the user has scheduled, next one first. */
export function useScheduled(): readonly ScheduledMessage[] {
  return useLoaded("scheduled.list", {}, scheduledMessages).data ?? NONE;
}

/** The number of saved messages whose reminder is past. */
export function useDueCount(): number {
  const { data } = useSaved();
  const nowMs = useNow();
  return data === undefined ? 0 : dueCount(data, nowMs);
}

/** Most recently saved first. @param text only messages with its words; empty: all */
export function useSavedMessages(text: string): UseInfiniteQueryResult<SavedItem[]> {
  const params = text === "" ? {} : { text };
  const list = usePagedQuery("saved.listMessages", params, "items", "cursor", "nextCursor", {});
  return useLatest(list, savedItems);
}

/** Capped at 100, which means 100 or more. */
export function useInboxUnreadCount(): Loaded<number> {
  return useLoaded("inbox.getUnreadCount", {}, ({ inboxUnread }) => inboxUnread ?? undefined);
}

const reloadUnread = {
  after(cache: ServerCache) {
    const { store } = cache;
    void store.reload("channel.listUnread", {});
    void store.reload("inbox.getUnreadCount", {});
    cache.refetchSoon("inbox.list");
  },
};

export const inboxEffects: Effects = {
  "inbox.markGroupRead": reloadUnread,
  "inbox.markAllRead": reloadUnread,
};

const NOTHING: Unread = { messages: 0, mentions: 0 };

/** Unread channels of all groups, followed threads and direct messages. */
export function useUnreadChannels(): Loaded<readonly UnreadChannel[]> {
  return useLoaded("channel.listUnread", {}, unreadChannels);
}

/** @param pick chooses what is needed, since the counts change with each message */
export function useChannelUnread<T extends number | boolean>(
  channelId: string,
  pick: (unread: Unread) => T,
): T {
  const { data } = useLoaded("channel.listUnread", {}, (state) => pick(unreadInChannel(state, channelId)));
  return data ?? pick(NOTHING);
}

/** The unread state of a group's channels; null for all direct messages. */
export function useGroupUnread<T extends number | boolean>(
  groupId: string | null,
  pick: (unread: Unread) => T,
): T {
  const { data } = useLoaded("channel.listUnread", {}, (state) => pick(unreadInGroup(state, groupId)));
  return data ?? pick(NOTHING);
}

/** The IDs of the channels that mention the user, separated by spaces. */
export function useMentioningIds(): string {
  const { data = "" } = useLoaded("channel.listUnread", {}, (state) =>
    unreadChannels(state)
      ?.filter(({ mentionCount }) => mentionCount > 0)
      .map(({ channelId }) => channelId)
      .join(" "),
  );
  return data;
}

export type Place = { groupId: string } | { channelId: string };

/** Only settings that differ from the defaults. */
export function useNotificationSettings(): Loaded<readonly NotificationSetting[]> {
  return useLoaded("notification.list", {}, notificationSettings);
}

/** Undefined if the place has no setting, and while loading. */
export function useNotificationSetting(place: Place): NotificationSetting | undefined {
  const placeId = "channelId" in place ? place.channelId : place.groupId;
  return useLoaded("notification.list", {}, ({ notifications }) => notifications?.[placeId]).data;
}

type Mark = "favorite" | "hidden";

/** The ids of the channels that the user marked, of all groups. */
export function markedIdsOf(state: ClientState, mark: Mark): string[] {
  return (notificationSettings(state) ?? []).flatMap(({ channelId, ...setting }) =>
    setting[mark] && channelId !== null ? [channelId] : [],
  );
}

const NO_IDS: readonly string[] = [];

export function useMarkedIds(mark: Mark): readonly string[] {
  // One text, since a list would be a new one each time.
  const { data = "" } = useLoaded("notification.list", {}, (state) => markedIdsOf(state, mark).join(" "));
  return useMemo(() => (data === "" ? NO_IDS : data.split(" ")), [data]);
}

export function useNotificationPreferences(): Loaded<NotificationPreferences> {
  return useLoaded(
    "notification.getPreferences",
    {},
    ({ notificationPreferences }) => notificationPreferences ?? undefined,
  );
}

const NO_KEYWORDS: readonly string[] = [];

export function useKeywords(): readonly string[] {
  return useNotificationPreferences().data?.keywords ?? NO_KEYWORDS;
}

/** The server's VAPID key, and how it reaches apps. */
export function usePushKey(): UseQueryResult<Result<"push.getKey">> {
  return useActionQuery("push.getKey", {}, {});
}

export function usePushSubscriptions(): UseQueryResult<Result<"push.list">["subscriptions"]> {
  return useActionQuery("push.list", {}, { ...ON_OPEN, select: ({ subscriptions }) => subscriptions });
}

export const notificationEffects: Effects = {
  "notification.setPreferences": {
    before({ store }, params) {
      const known = store.state.notificationPreferences;
      if (known === null) return () => {};
      const emailsRefused = params.emails === undefined && known.emailsRefused;
      const preferences = { ...known, ...params, emailsRefused };
      const event = { name: "notification.configured", payload: { preferences } } as const;
      return store.applyOptimistically(event, ["notification.getPreferences", {}]);
    },
  },
  "push.subscribe": { after: (cache) => cache.refetch("push.list") },
  "push.unsubscribe": { after: (cache) => cache.refetch("push.list") },
};

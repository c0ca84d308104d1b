import {
  inboxItems,
  notificationSettings,
  type Unread,
  unreadChannels,
  unreadInChannel,
  unreadInGroup,
} from "@fanfare/client/store";
import type { InboxItem, NotificationSetting, Result, UnreadChannel } from "@fanfare/contract";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { ON_OPEN, useActionQuery, usePagedQuery } from "./data-context.ts";
import type { Effects } from "./lookup.ts";
import { type Loaded, useLatest, useLoaded } from "./store.ts";
import type { ServerCache } from "./cache.ts";

/** Newest first. */
export function useInbox(): UseInfiniteQueryResult<InboxItem[]> {
  const list = usePagedQuery("inbox.list", {}, "items", "cursor", ({ nextCursor }) => nextCursor, {});
  return useLatest(list, inboxItems);
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

export function useChannelUnread(channelId: string): Unread {
  return useLoaded("channel.listUnread", {}, (state) => unreadInChannel(state, channelId)).data ?? NOTHING;
}

/** The unread state of a group's channels; null for all direct messages. */
export function useGroupUnread(groupId: string | null): Unread {
  return useLoaded("channel.listUnread", {}, (state) => unreadInGroup(state, groupId)).data ?? NOTHING;
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

/** The server's VAPID key; null if push notifications are off. */
export function usePushKey(): UseQueryResult<string | null> {
  return useActionQuery("push.getKey", {}, { select: ({ publicKey }) => publicKey });
}

export function usePushSubscriptions(): UseQueryResult<Result<"push.list">["subscriptions"]> {
  return useActionQuery("push.list", {}, { ...ON_OPEN, select: ({ subscriptions }) => subscriptions });
}

export const notificationEffects: Effects = {
  "push.subscribe": { after: (cache) => cache.refetch("push.list") },
  "push.unsubscribe": { after: (cache) => cache.refetch("push.list") },
};

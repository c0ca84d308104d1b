import type { Unread } from "@fanfare/client/store";
import type { NotificationSetting, UnreadChannel } from "@fanfare/contract";
import { isMutedNow } from "../../groups/channels/mute.ts";
import { useMemo, useEffect } from "react";
import { useNotificationSettings, useUnreadChannels } from "../../data/inbox.ts";
import { markIcon } from "../../session/branding.ts";
import { useNow } from "../../shared/hooks.ts";
import { setAppBadge, setTitleCount } from "../../ui/hooks.ts";

/** Threads have the settings of their channel, unless they have their own. */
export function settingsOf(
  settings: readonly NotificationSetting[],
  { groupId, parentId, channelId }: Pick<UnreadChannel, "groupId" | "parentId" | "channelId">,
): { group: NotificationSetting | undefined; channel: NotificationSetting | undefined } {
  const of = (id: string | null) => settings.find((each) => id !== null && each.channelId === id);
  const group = settings.find(
    (each) => groupId !== null && each.channelId === null && each.groupId === groupId,
  );
  return { group, channel: of(channelId) ?? of(parentId) };
}

/** Unread counts by channel, without muted ones; in hidden channels and with notifications off, only mentions count. */
export function unmutedUnread(
  channels: readonly UnreadChannel[],
  settings: readonly NotificationSetting[],
  nowMs: number,
): Map<string, Unread> {
  const unmuted = new Map<string, Unread>();
  for (const place of channels) {
    const { channelId, head, lastReadSeq, mentionCount } = place;
    const { group, channel } = settingsOf(settings, place);
    if (isMutedNow(group, nowMs) || isMutedNow(channel, nowMs)) continue;
    const isForMentions = (channel?.level ?? group?.level) === "nothing" || channel?.hidden === true;
    const messages = isForMentions ? mentionCount : head.seq - lastReadSeq;
    if (messages > 0) unmuted.set(channelId, { messages, mentions: mentionCount });
  }
  return unmuted;
}

export function badgeCount(channels: readonly UnreadChannel[], unmuted: ReadonlyMap<string, Unread>): number {
  let count = 0;
  for (const { channelId, groupId } of channels) {
    const unread = unmuted.get(channelId);
    if (unread !== undefined) count += groupId === null ? unread.messages : unread.mentions;
  }
  return count;
}

export function useUnmutedUnread(): ReadonlyMap<string, Unread> {
  const { data: channels } = useUnreadChannels();
  const { data: settings } = useNotificationSettings();
  const nowMs = useNow();
  return useMemo(() => unmutedUnread(channels ?? [], settings ?? [], nowMs), [channels, settings, nowMs]);
}

/** The number of followed threads with unread replies. */
export function useUnreadThreadCount(): number {
  const { data: channels = [] } = useUnreadChannels();
  const unread = useUnmutedUnread();
  return channels.filter(({ channelId, parentId }) => parentId !== null && unread.has(channelId)).length;
}

/** Shows the unread count in the tab's title and on the app's icon, and marks the tab's icon. */
export function PageBadge() {
  const { data: channels = [] } = useUnreadChannels();
  const count = badgeCount(channels, useUnmutedUnread());
  useEffect(() => {
    setTitleCount(count);
    setAppBadge(count);
    markIcon(count > 0);
  }, [count]);
  useEffect(
    () => () => {
      setTitleCount(0);
      markIcon(false);
    },
    [],
  );
  return null;
}

import type { Unread } from "@fanfare/client/store";
import type { NotificationSetting, UnreadChannel } from "@fanfare/contract";
import { isMutedNow } from "../../groups/channels/mute.ts";
import { useMemo, useEffect } from "react";
import { useNotificationSettings, useUnreadChannels } from "../../data/inbox.ts";
import { useNow } from "../../shared/hooks.ts";
import { setTitleCount } from "../../ui/hooks.ts";

export function settingsOf(
  settings: readonly NotificationSetting[],
  groupId: string | null,
  channelId: string,
): { group: NotificationSetting | undefined; channel: NotificationSetting | undefined } {
  const ofChannel = settings.find((setting) => setting.channelId === channelId);
  const ofGroup =
    groupId === null
      ? undefined
      : settings.find((setting) => setting.channelId === null && setting.groupId === groupId);
  return { group: ofGroup, channel: ofChannel };
}

/** Unread counts by channel, without muted ones; with notifications off, only mentions count. */
export function unmutedUnread(
  channels: readonly UnreadChannel[],
  settings: readonly NotificationSetting[],
  nowMs: number,
): Map<string, Unread> {
  const unmuted = new Map<string, Unread>();
  for (const { channelId, groupId, head, lastReadSeq, mentionCount } of channels) {
    const { group, channel } = settingsOf(settings, groupId, channelId);
    if (isMutedNow(group, nowMs) || isMutedNow(channel, nowMs)) continue;
    const isNothing = (channel?.level ?? group?.level) === "nothing";
    const messages = isNothing ? mentionCount : head.seq - lastReadSeq;
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

/** Shows the unread count in the tab's title and marks its icon. */
export function PageBadge() {
  const { data: channels = [] } = useUnreadChannels();
  const count = badgeCount(channels, useUnmutedUnread());
  useEffect(() => {
    setTitleCount(count);
    setIcon(count > 0 ? "/favicon-unread.svg" : "/favicon.svg");
  }, [count]);
  useEffect(
    () => () => {
      setTitleCount(0);
      setIcon("/favicon.svg");
    },
    [],
  );
  return null;
}

function setIcon(path: string): void {
  document.querySelector("link[rel=icon]")?.setAttribute("href", path);
}

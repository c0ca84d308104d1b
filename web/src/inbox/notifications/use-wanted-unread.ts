import type { Unread } from "@fanfare/client/store";
import { useMemo } from "react";
import { useNotificationSettings, useUnreadChannels } from "../../data/inbox.ts";
import { useNow } from "../../shared/hooks.ts";
import { wantedUnread } from "./wanted-unread.ts";

/** What is unread and is to draw attention, by channel. */
export function useWantedUnread(): ReadonlyMap<string, Unread> {
  const { data: channels } = useUnreadChannels();
  const { data: settings } = useNotificationSettings();
  const nowMs = useNow();
  return useMemo(() => wantedUnread(channels ?? [], settings ?? [], nowMs), [channels, settings, nowMs]);
}

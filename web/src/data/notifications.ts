import type { NotificationSetting, Result } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { ON_OPEN, useAsk, useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { withItem, without } from "./lookup.ts";
import type { On } from "./connection.ts";

const PARAMS = { limit: LIMITS.pageMaxItems } as const;

/** Where a setting holds: a whole group, or a channel. */
export type Place = { groupId: string } | { channelId: string };

/** All settings that are not as they are without any. */
export function useNotificationSettings(): UseQueryResult<NotificationSetting[]> {
  const cache = useServerCache();
  return useQuery({
    ...cache.askWhole("notification.list", PARAMS, { param: "cursor", next: "nextCursor", list: "settings" }),
    select: ({ settings }) => settings,
  });
}

/** The setting of a place; undefined where there is none of its own, and until they are loaded. */
export function useNotificationSetting(place: Place): NotificationSetting | undefined {
  return useNotificationSettings().data?.find(isOf(place));
}

/** The key for pushes to this browser; null where the server sends none. */
export function usePushKey(): UseQueryResult<string | null> {
  return useAsk("push.getKey", {}, { select: ({ publicKey }) => publicKey });
}

export function usePushSubscriptions(): UseQueryResult<Result<"push.list">["subscriptions"]> {
  return useAsk("push.list", {}, { ...ON_OPEN, select: ({ subscriptions }) => subscriptions });
}

const isOf =
  (place: Place) =>
  ({ groupId, channelId }: NotificationSetting): boolean =>
    "channelId" in place ? channelId === place.channelId : channelId === null && groupId === place.groupId;

export function listenNotifications(cache: ServerCache, on: On): void {
  on("notification.updated", ({ setting }) => putSetting(cache, setting));
}

function putSetting(cache: ServerCache, setting: NotificationSetting): void {
  const { groupId, channelId } = setting;
  const isSame = (held: NotificationSetting): boolean =>
    held.groupId === groupId && held.channelId === channelId;
  // What is as it is without a setting is not listed.
  const isDefault = setting.level === null && setting.mutedUntil === null && !setting.suppressEveryone;
  cache.patch("notification.list", (answer) => ({
    ...answer,
    settings: isDefault ? without(answer.settings, isSame) : withItem(answer.settings, setting, isSame),
  }));
}

export const notificationEffects: Effects = {
  "notification.set": { after: (cache, _, { setting }) => putSetting(cache, setting) },
  "push.subscribe": { after: (cache) => cache.refetch("push.list") },
  "push.unsubscribe": { after: (cache) => cache.refetch("push.list") },
};

import { channelOf, notificationSettings } from "@fanfare/client/store";
import type { ChannelState, Message, NotificationSetting } from "@fanfare/contract";
import { isInQuietHours, keywordPattern } from "@fanfare/contract/notification-rules";
import type { ServerCache } from "../../data/cache.ts";
import { isMutedNow } from "../../groups/channels/mute.ts";
import { settingsOf } from "./unmuted-unread.ts";

export interface Notice {
  message: Message;
  channel: ChannelState;
  reason: Reason;
}

export interface NotifierState {
  blockedIds: readonly string[];
  doNotDisturb: boolean;
}

/** Calls back once per batch with the last message that notifies the user. @returns a function that stops it */
export function watchMessages(
  cache: ServerCache,
  notifierState: () => NotifierState,
  onNotice: (notice: Notice) => void,
): () => void {
  return cache.client.on("message.created", ({ channelId, messages }) => {
    const ownId = cache.client.user?.id;
    const { doNotDisturb, blockedIds } = notifierState();
    const others = messages.filter(({ authorId }) => authorId !== ownId && !blockedIds.includes(authorId));
    if (ownId === undefined || doNotDisturb || others.length === 0) return;
    void noticeOf(cache, ownId, channelId, others).then(
      (notice) => notice !== null && onNotice(notice),
      // The channel is no longer visible, or the connection is lost.
      () => undefined,
    );
  });
}

/** Calls back when it is time for the reminder of a saved message, whatever the notification settings. */
export function watchReminders(cache: ServerCache, onNotice: (notice: Notice) => void): () => void {
  const notify = async (channelId: string, messageId: string): Promise<void> => {
    const [{ message }] = await Promise.all([
      cache.client.call("message.get", { channelId, messageId }),
      cache.store.load("channel.get", { channelId }),
    ]);
    const channel = channelOf(cache.store.state, channelId);
    if (channel !== undefined) onNotice({ message, channel, reason: "reminder" });
  };
  return cache.client.on("saved.reminded", ({ saved: { channelId, messageId } }) => {
    // The message was deleted or is no longer visible, or the connection is lost: it is in the inbox.
    notify(channelId, messageId).catch(() => undefined);
  });
}

async function noticeOf(
  cache: ServerCache,
  userId: string,
  channelId: string,
  messages: readonly Message[],
): Promise<Notice | null> {
  const { store } = cache;
  // While the page opens, messages can come before the settings.
  await Promise.all([
    store.load("channel.get", { channelId }),
    store.load("notification.list", {}),
    store.load("notification.getPreferences", {}),
  ]);
  // From here on read from the state: a change must apply before the next render.
  const { quietHours = null, keywords = [] } = store.state.notificationPreferences ?? {};
  if (quietHours !== null && isInQuietHours(quietHours, Date.now())) return null;
  const channel = channelOf(store.state, channelId);
  if (channel === undefined) return null;
  const { groupId, parentId } = channel;
  const settings = notificationSettings(store.state) ?? [];
  const places = settingsOf(settings, { groupId, parentId, channelId });
  for (const message of messages.toReversed()) {
    const roleIds = await rolesFor(cache, userId, groupId, message);
    const reason = reasonOf(message, groupId, { userId, keywords, roleIds, group: places.group });
    if (shouldNotify(reason, { ...places, nowMs: Date.now() })) return { message, channel, reason };
  }
  return null;
}

async function rolesFor(
  cache: ServerCache,
  userId: string,
  groupId: string | null,
  { mentions }: Message,
): Promise<readonly string[]> {
  if (groupId === null || mentions === undefined || mentions.roleIds.length === 0) return [];
  const { client, store } = cache;
  const member =
    store.state.members[groupId]?.[userId] ??
    (await client.call("group.getMember", { groupId, userId })).member;
  return member.roleIds;
}

type Reason = "direct" | "mention" | "any" | "reminder";

interface NotifyContext {
  userId: string;
  keywords: readonly string[];
  roleIds: readonly string[];
  group: NotificationSetting | undefined;
  channel: NotificationSetting | undefined;
  nowMs: number;
}

/** Why a message concerns the user. `everyone` is ignored if the user suppresses it. A keyword is like a mention. */
export function reasonOf(
  { content, mentions }: Pick<Message, "content" | "mentions">,
  groupId: string | null,
  { userId, keywords, roleIds, group }: Omit<NotifyContext, "channel" | "nowMs">,
): Reason {
  const isNamed = mentions?.userIds.includes(userId) || mentions?.roleIds.some((id) => roleIds.includes(id));
  const isEveryone = mentions?.everyone === true && group?.suppressEveryone !== true;
  if (isNamed === true || isEveryone || keywordPattern(keywords)?.test(content) === true) return "mention";
  return groupId === null ? "direct" : "any";
}

/** Whether the settings allow a notification, by the same rules as the server's push notifications. */
export function shouldNotify(
  reason: Reason,
  { group, channel, nowMs }: Pick<NotifyContext, "group" | "channel" | "nowMs">,
): boolean {
  if (isMutedNow(group, nowMs) || isMutedNow(channel, nowMs)) return false;
  const chosen = channel?.level ?? group?.level ?? (reason === "direct" ? "all" : "mentions");
  const level = chosen === "all" && channel?.hidden === true ? "mentions" : chosen;
  return level === "all" || (level === "mentions" && reason === "mention");
}

import { channelOf, notificationSettings } from "@fanfare/client/store";
import type { ChannelState, Message, NotificationSetting } from "@fanfare/contract";
import type { ServerCache } from "../../data/cache.ts";
import { isMutedNow } from "../../groups/channels/mute.ts";
import { settingsOf } from "./unmuted-unread.ts";

export interface Notice {
  message: Message;
  channel: ChannelState;
  reason: Reason;
}

export interface NotifierState {
  /** Whether the notification settings are loaded. */
  isLoaded: boolean;
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
    const { isLoaded, doNotDisturb, blockedIds } = notifierState();
    const others = messages.filter(({ authorId }) => authorId !== ownId && !blockedIds.includes(authorId));
    if (ownId === undefined || !isLoaded || doNotDisturb || others.length === 0) return;
    void noticeOf(cache, ownId, channelId, others).then(
      (notice) => notice !== null && onNotice(notice),
      // The channel is no longer visible, or the connection is lost.
      () => undefined,
    );
  });
}

async function noticeOf(
  cache: ServerCache,
  userId: string,
  channelId: string,
  messages: readonly Message[],
): Promise<Notice | null> {
  const { store } = cache;
  await store.load("channel.get", { channelId });
  const channel = channelOf(store.state, channelId);
  if (channel === undefined) return null;
  const { groupId, parentId } = channel;
  // Read from the state: a change must apply before the next render.
  const settings = notificationSettings(store.state) ?? [];
  // Threads use the settings of their channel.
  const own = settingsOf(settings, groupId, channelId);
  const places = {
    group: own.group,
    channel: own.channel ?? settingsOf(settings, groupId, parentId ?? "").channel,
  };
  for (const message of messages.toReversed()) {
    const roleIds = await rolesFor(cache, userId, groupId, message);
    const reason = reasonOf(message, groupId, { userId, roleIds, group: places.group });
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

type Reason = "direct" | "mention" | "any";

interface NotifyContext {
  userId: string;
  roleIds: readonly string[];
  group: NotificationSetting | undefined;
  channel: NotificationSetting | undefined;
  nowMs: number;
}

/** Why a message concerns the user. `everyone` is ignored if the user suppresses it. */
export function reasonOf(
  { mentions }: Pick<Message, "mentions">,
  groupId: string | null,
  { userId, roleIds, group }: Pick<NotifyContext, "userId" | "roleIds" | "group">,
): Reason {
  const isNamed = mentions?.userIds.includes(userId) || mentions?.roleIds.some((id) => roleIds.includes(id));
  const isEveryone = mentions?.everyone === true && group?.suppressEveryone !== true;
  if (isNamed === true || isEveryone) return "mention";
  return groupId === null ? "direct" : "any";
}

/** Whether the settings allow a notification, by the same rules as the server's push notifications. */
export function shouldNotify(
  reason: Reason,
  { group, channel, nowMs }: Omit<NotifyContext, "userId" | "roleIds">,
): boolean {
  if (isMutedNow(group, nowMs) || isMutedNow(channel, nowMs)) return false;
  const level = channel?.level ?? group?.level ?? (reason === "direct" ? "all" : "mentions");
  return level === "all" || (level === "mentions" && reason === "mention");
}

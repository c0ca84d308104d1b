import type { Message, NotificationSetting } from "@fanfare/contract";
import { isMutedNow } from "../channels/mute.ts";

/** Why somebody may be told of a message. */
export type Reason = "direct" | "mention" | "any";

interface Listener {
  userId: string;
  /** In the group of the channel. */
  roleIds: readonly string[];
  group: NotificationSetting | undefined;
  channel: NotificationSetting | undefined;
  nowMs: number;
}

/** Why a message concerns somebody: `everyone` counts unless they have turned that off. */
export function reasonOf(
  { mentions }: Pick<Message, "mentions">,
  groupId: string | null,
  { userId, roleIds, group }: Pick<Listener, "userId" | "roleIds" | "group">,
): Reason {
  const isNamed = mentions?.userIds.includes(userId) || mentions?.roleIds.some((id) => roleIds.includes(id));
  const isEveryone = mentions?.everyone === true && group?.suppressEveryone !== true;
  if (isNamed === true || isEveryone) return "mention";
  return groupId === null ? "direct" : "any";
}

/** Whether the settings let a message through, by the same rule as the server's pushes. */
export function isWanted(
  reason: Reason,
  { group, channel, nowMs }: Omit<Listener, "userId" | "roleIds">,
): boolean {
  if (isMutedNow(group, nowMs) || isMutedNow(channel, nowMs)) return false;
  const level = channel?.level ?? group?.level ?? (reason === "direct" ? "all" : "mentions");
  return level === "all" || (level === "mentions" && reason === "mention");
}

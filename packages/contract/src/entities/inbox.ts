import { z } from "zod";
import { HeadSchema } from "./channel.ts";
import { MessageSchema } from "./message.ts";
import { entity, id, seq, time } from "./primitives.ts";
import { LIMITS } from "../limits.ts";

/** How far the user has read and cleared their inbox: up to a message id, because ids grow with time. */
export const InboxMarkerSchema = entity("InboxMarker", {
  readUpToId: id.nullable().describe("null: nothing was read"),
  clearedUpToId: id.nullable().describe("entries up to here are not listed; null: nothing was cleared"),
});
export type InboxMarker = z.output<typeof InboxMarkerSchema>;

export const InboxItemSchema = entity("InboxItem", {
  message: MessageSchema,
  groupId: id.nullable().describe("null in a direct channel"),
  unread: z.boolean().describe("unread both in its channel and in the inbox"),
});
export type InboxItem = z.output<typeof InboxItemSchema>;

export const UnreadChannelSchema = entity("UnreadChannel", {
  channelId: id,
  groupId: id.nullable().describe("null in a direct channel"),
  parentId: id.nullable().describe("the channel of a thread; null otherwise"),
  head: HeadSchema,
  lastReadSeq: seq,
  mentionCount: z
    .int()
    .max(LIMITS.mentionsCounted)
    .describe(
      `unread messages by others that mention the user; ${LIMITS.mentionsCounted}: this many or more`,
    ),
});
export type UnreadChannel = z.output<typeof UnreadChannelSchema>;

const notificationLevel = z.enum(["all", "mentions", "nothing"]);

/** A user's notification setting for a group or a channel. */
export const NotificationSettingSchema = entity("NotificationSetting", {
  groupId: id.nullable(),
  channelId: id.nullable().describe("null: the setting of the whole group"),
  level: notificationLevel
    .nullable()
    .describe(
      "null: the default: as in the group; in a group, mentions only; in direct channels, all messages",
    ),
  mutedUntil: time.nullable().describe("no notifications before this time"),
  suppressEveryone: z.boolean().describe("whether to ignore @everyone and @here"),
});
export type NotificationSetting = z.output<typeof NotificationSettingSchema>;

/** The params of `notification.set`; omitted fields stay unchanged. */
export const notificationChanges = {
  level: notificationLevel.nullable().optional(),
  mutedUntil: time.nullable().optional(),
  suppressEveryone: z.boolean().optional(),
};

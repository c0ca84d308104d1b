import { z } from "zod";
import { HeadSchema } from "./channel.ts";
import { MessageSchema } from "./message.ts";
import { entity, id, seq, time } from "./primitives.ts";
import { LIMITS } from "../limits.ts";

/** What of the own inbox was looked at, and put away: everything up to a message's id, which grows with time. */
export const InboxMarkerSchema = entity("InboxMarker", {
  readUpToId: id.nullable().describe("null: nothing was read"),
  clearedUpToId: id.nullable().describe("entries up to here are not listed; null: nothing was cleared"),
});
export type InboxMarker = z.output<typeof InboxMarkerSchema>;

export const InboxItemSchema = entity("InboxItem", {
  message: MessageSchema,
  groupId: id.nullable().describe("null in a direct channel"),
  unread: z.boolean().describe("neither read in its channel nor in the inbox"),
});
export type InboxItem = z.output<typeof InboxItemSchema>;

export const UnreadChannelSchema = entity("UnreadChannel", {
  channelId: id,
  groupId: id.nullable().describe("null in a direct channel"),
  parentId: id.nullable().describe("of a thread; null elsewhere"),
  head: HeadSchema,
  lastReadSeq: seq,
  mentionCount: z
    .int()
    .max(LIMITS.mentionsCounted)
    .describe(`unread messages of others that mention the user; ${LIMITS.mentionsCounted}: as many or more`),
});
export type UnreadChannel = z.output<typeof UnreadChannelSchema>;

const notificationLevel = z.enum(["all", "mentions", "nothing"]);

/** When a user wants to be notified of what happens in a group, or in a channel. */
export const NotificationSettingSchema = entity("NotificationSetting", {
  groupId: id.nullable(),
  channelId: id.nullable().describe("null: it is the setting of the whole group"),
  level: notificationLevel
    .nullable()
    .describe("null: as in the group; there mentions only, and all in a direct channel"),
  mutedUntil: time.nullable().describe("no notifications before"),
  suppressEveryone: z.boolean().describe("mentions by @everyone and @here do not count"),
});
export type NotificationSetting = z.output<typeof NotificationSettingSchema>;

/** What `notification.set` changes; what is left out stays as it is. */
export const notificationChanges = {
  level: notificationLevel.nullable().optional(),
  mutedUntil: time.nullable().optional(),
  suppressEveryone: z.boolean().optional(),
};

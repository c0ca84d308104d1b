import { z } from "zod";
import { HeadSchema } from "./channel.ts";
import { MessageSchema } from "./message.ts";
import { entity, id, seq, storedName, time } from "./primitives.ts";
import { LIMITS } from "../limits.ts";
import { isTimeZone, keywordKeys } from "../notification-rules.ts";

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

/** A message that the user has begun to write in a channel. */
export const DraftSchema = entity("Draft", {
  channelId: id,
  content: z.string().describe("empty: there is no draft any more"),
  changedAt: time,
});
export type Draft = z.output<typeof DraftSchema>;

/** A message that the user saved for later. */
export const SavedMessageSchema = entity("SavedMessage", {
  messageId: id,
  channelId: id,
  savedAt: time,
  remindAt: time.nullable().describe("the time of the reminder, which can be past; null: no reminder"),
});
export type SavedMessage = z.output<typeof SavedMessageSchema>;

/** A message that the server sends for its author at a later time. */
export const ScheduledMessageSchema = entity("ScheduledMessage", {
  id,
  channelId: id,
  content: z.string(),
  sendAt: time,
  failure: z
    .string()
    .nullable()
    .describe("the error code because of which it was not sent; null: it is still to be sent"),
});
export type ScheduledMessage = z.output<typeof ScheduledMessageSchema>;

const notificationLevel = z.enum(["all", "mentions", "nothing"]);

/** A user's own settings for a group or a channel: notifications, and its place in the list. */
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
  favorite: z.boolean().describe("whether the channel is listed first"),
  hidden: z
    .boolean()
    .describe("whether the channel is not listed; only its mentions notify and count as unread then"),
});
export type NotificationSetting = z.output<typeof NotificationSettingSchema>;

/** The params of `notification.set`; omitted fields stay unchanged. */
export const notificationChanges = {
  level: notificationLevel.nullable().optional(),
  mutedUntil: time.nullable().optional(),
  suppressEveryone: z.boolean().optional(),
  favorite: z.boolean().optional(),
  hidden: z.boolean().optional(),
};

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 22:00");

/** How a user wants to be notified, wherever it is. */
export const NotificationPreferencesSchema = entity("NotificationPreferences", {
  quietHours: z
    .object({
      from: timeOfDay,
      to: timeOfDay.describe("on the next day, unless it is after `from`"),
      days: z.array(z.int().min(1).max(7)).min(1).max(7).describe("on which it begins; 1 is Monday"),
      timeZone: z
        .string()
        .max(LIMITS.timeZoneMaxChars)
        .refine(isTimeZone, "must be a time zone such as Europe/Berlin"),
    })
    .nullable()
    .describe("no notifications at these times, apart from reminders; counts of unread messages stay"),
  keywords: z
    .array(
      storedName(LIMITS.keywordMaxChars)
        .min(LIMITS.keywordMinChars)
        .refine((keyword) => keywordKeys(keyword).length > 0, "must have a letter or a digit"),
    )
    .max(LIMITS.keywordsPerUser)
    .describe("words and phrases that notify like a mention"),
  emails: z
    .enum(["off", "quarterHour", "hour", "day"])
    .describe("how long after missed mentions and direct messages one email about them is sent"),
  emailsRefused: z
    .boolean()
    .describe(
      "emails are off because a mail server refused the address; setting `emails` turns them on again",
    ),
});
export type NotificationPreferences = z.output<typeof NotificationPreferencesSchema>;

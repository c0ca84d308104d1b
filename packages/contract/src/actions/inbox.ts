import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const cursor = z.string().regex(/^[0-9a-f]{24}$/, "must be the nextCursor of a page");
const upTo = z.object({
  messageId: e.id.describe("id of the newest message shown; includes all older ones"),
});
const heavyLimit = { points: 30, durationMs: 10_000 };

export const inboxActions = {
  list: query({
    summary:
      "A page of messages by others that mention the caller directly, by role or with @everyone, or that reply to them, newest first. " +
      "Messages that the caller can no longer see are left out.",
    params: z.object({
      cursor: cursor.optional().describe("the nextCursor of the page before"),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(25),
      withUsers: e.withUsers,
    }),
    result: z.object({
      items: z.array(e.InboxItemSchema),
      nextCursor: cursor
        .nullable()
        .describe("null: this is the last page. Any page can have fewer items than the limit"),
      marker: e.InboxMarkerSchema,
      users: e.referredUsers,
    }),
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: heavyLimit,
  }),
  getUnreadCount: query({
    summary: "The number of unread messages in the caller's inbox.",
    result: z.object({
      unread: z
        .int()
        .max(LIMITS.mentionsCounted)
        .describe(`${LIMITS.mentionsCounted}: this many or more, to be shown as 99+`),
    }),
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: heavyLimit,
  }),
  markRead: mutation({
    summary: "Mark the caller's inbox as read up to a message. The marker never moves back.",
    params: upTo,
    result: z.object({ marker: e.InboxMarkerSchema }),
    permission: { rule: "session" },
  }),
  clear: mutation({
    summary: "Clear the caller's inbox up to a message. The messages stay in their channels.",
    params: upTo,
    result: z.object({ marker: e.InboxMarkerSchema }),
    permission: { rule: "session" },
  }),
  markGroupRead: mutation({
    summary: "Mark all channels of a group that the caller can see as read.",
    params: e.inGroup,
    result: z.object({ channelIds: z.array(e.id).describe("channels that had unread messages") }),
    permission: { rule: "group", can: "view" },
    rateLimit: perMinute(20),
  }),
  markAllRead: mutation({
    summary: "Mark all channels of the caller and the inbox as read, page by page.",
    params: z.object({ cursor: cursor.optional().describe("the nextCursor of the page before") }),
    result: z.object({
      channelIds: z.array(e.id).describe("channels that had unread messages"),
      nextCursor: cursor.nullable().describe("null: everything is read; otherwise call again"),
    }),
    permission: { rule: "session" },
    rateLimit: perMinute(60),
  }),
};

export const channelActions = {
  listUnread: query({
    summary:
      "The caller's channels with unread messages, direct channels included; in one page for up to " +
      `${LIMITS.channelsPerUnreadPage} channels. Includes the ${LIMITS.threadsFollowedPerUser} threads that the caller most recently created, wrote in or was mentioned in.`,
    params: z.object({ cursor: cursor.optional().describe("the nextCursor of the page before") }),
    result: z.object({
      channels: z.array(e.UnreadChannelSchema),
      nextCursor: cursor.nullable().describe("null: this is the last page; earlier pages can be empty"),
    }),
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: heavyLimit,
  }),
  listFollowedThreads: query({
    summary:
      `A page of the ${LIMITS.threadsFollowedPerUser} threads that the caller most recently created, wrote in or was mentioned in, across ` +
      "groups, most recent message first. Threads that the caller can no longer see are left out.",
    params: e.activityPage.extend({ limit: e.pageLimit.default(25) }),
    result: z.object({ channels: z.array(e.ChannelStateSchema), nextCursor: e.nextActivityCursor }),
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: heavyLimit,
  }),
};

export const groupActions = {
  listPlaces: internal({
    summary: "The groups of a user, with their roles.",
    params: e.ofUser,
    result: z.object({ places: z.array(z.object({ groupId: e.id, roleIds: z.array(e.id) })) }),
  }),
  listMemberIds: internal({
    summary: "A page of the members of a group, or of those with one of the roles, ordered by id.",
    params: z.object({
      groupId: e.id,
      roleIds: z.array(e.id).max(LIMITS.mentionsPerMessage).nullable().describe("null: all members"),
      afterUserId: e.id.nullable(),
      limit: z
        .int()
        .min(1)
        .max(1000)
        .describe("members that are examined; a page can have none with the roles"),
    }),
    result: z.object({ userIds: z.array(e.id), nextUserId: e.id.nullable() }),
  }),
  listUserChannels: internal({
    summary:
      "A page of the channels with messages that a user can see, without threads: direct channels first, then whole groups, " +
      "ordered by id.",
    params: z.object({ userId: e.id, cursor: cursor.nullable() }),
    result: z.object({
      channels: z.array(z.object({ channelId: e.id, groupId: e.id.nullable() })),
      places: z
        .array(z.object({ groupId: e.id, roleIds: z.array(e.id) }))
        .describe("the groups of the page, with the user's roles"),
      nextCursor: cursor.nullable(),
    }),
  }),
};

import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const cursor = z.string().regex(/^[0-9a-f]{24}$/, "must be the nextCursor of a page");
const upTo = z.object({
  messageId: e.id.describe("of the newest message that was shown: it, and all that are older"),
});
const dear = { points: 30, durationMs: 10_000 };

export const inboxActions = {
  list: query({
    summary:
      "A page of the messages of others that mention the caller by name, reply, role or as everybody, newest first, as far as the " +
      "caller sees them now.",
    params: z.object({
      cursor: cursor.optional().describe("the nextCursor of the page before"),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(25),
    }),
    result: z.object({
      items: z.array(e.InboxItemSchema),
      nextCursor: cursor
        .nullable()
        .describe("null: that was all. A page may have fewer items than the limit and not be the last one"),
      marker: e.InboxMarkerSchema,
    }),
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: dear,
  }),
  getUnreadCount: query({
    summary: "How many unread messages the caller's inbox has.",
    result: z.object({
      unread: z
        .int()
        .max(LIMITS.mentionsCounted)
        .describe(`${LIMITS.mentionsCounted}: as many or more, to be shown as 99+`),
    }),
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: dear,
  }),
  markRead: mutation({
    summary: "The caller's inbox is read up to a message. The marker never goes back.",
    params: upTo,
    result: z.object({ marker: e.InboxMarkerSchema }),
    permission: { rule: "session" },
  }),
  clear: mutation({
    summary:
      "The caller's inbox is read up to a message, and so much of it not listed any more; the messages stay where they are.",
    params: upTo,
    result: z.object({ marker: e.InboxMarkerSchema }),
    permission: { rule: "session" },
  }),
  markGroupRead: mutation({
    summary: "Everything in the channels of a group that the caller sees is read.",
    params: e.inGroup,
    result: z.object({ channelIds: z.array(e.id).describe("in which something was unread") }),
    permission: { rule: "group", can: "view" },
    rateLimit: perMinute(20),
  }),
  markAllRead: mutation({
    summary: "Everything in all channels of the caller is read, page by page, and the inbox too.",
    params: z.object({ cursor: cursor.optional().describe("the nextCursor of the page before") }),
    result: z.object({
      channelIds: z.array(e.id).describe("in which something was unread"),
      nextCursor: cursor.nullable().describe("null: everything is read; otherwise call again"),
    }),
    permission: { rule: "session" },
    rateLimit: perMinute(60),
  }),
};

export const channelActions = {
  listUnread: query({
    summary:
      "The caller's channels, direct ones too, in which there is something unread: all at once for who sees up to " +
      `${LIMITS.channelsPerUnreadPage} channels. Of threads the ${LIMITS.threadsFollowedPerUser} that the caller has opened, written in or been named in last.`,
    params: z.object({ cursor: cursor.optional().describe("the nextCursor of the page before") }),
    result: z.object({
      channels: z.array(e.UnreadChannelSchema),
      nextCursor: cursor.nullable().describe("null: that was all; a page may be empty before"),
    }),
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: dear,
  }),
};

export const groupActions = {
  listPlaces: internal({
    summary: "The groups of a user, with the roles there.",
    params: e.ofUser,
    result: z.object({ places: z.array(z.object({ groupId: e.id, roleIds: z.array(e.id) })) }),
  }),
  listMemberIds: internal({
    summary:
      "A page of the members of a group, or of those who have one of the roles, in the order of their ids.",
    params: z.object({
      groupId: e.id,
      roleIds: z.array(e.id).max(LIMITS.mentionsPerMessage).nullable().describe("null: everybody"),
      afterUserId: e.id.nullable(),
      limit: z
        .int()
        .min(1)
        .max(1000)
        .describe("members who are looked at; of those with roles a page may have none"),
    }),
    result: z.object({ userIds: z.array(e.id), nextUserId: e.id.nullable() }),
  }),
  listUserChannels: internal({
    summary:
      "A page of the channels that a user sees and messages are in, without threads: the direct ones first, then group by group in " +
      "the order of their ids, each whole.",
    params: z.object({ userId: e.id, cursor: cursor.nullable() }),
    result: z.object({
      channels: z.array(z.object({ channelId: e.id, groupId: e.id.nullable() })),
      places: z
        .array(z.object({ groupId: e.id, roleIds: z.array(e.id) }))
        .describe("the groups of the page, with the roles there"),
      nextCursor: cursor.nullable(),
    }),
  }),
};

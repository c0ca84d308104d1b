import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const oneThread = z.object({ channelId: e.id.describe("the thread's id") });

export const channelActions = {
  openThread: mutation({
    summary:
      "The thread of a message: a channel with the visibility of the message's channel. Created if there is none, " +
      "in a text channel of a group.",
    params: e.oneMessage.extend({ name: e.channelName.optional() }),
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    errors: ["MUTED", "FORBIDDEN", "MESSAGE_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: perMinute(30),
  }),
  listThreads: query({
    summary: "A page of a channel's threads, most recent message first.",
    params: e.inChannel.extend({
      archived: z.boolean().default(false).describe("true: archived threads"),
      ...e.activityPage.shape,
      withUsers: e.withUsers.describe("also return the profiles of the threads' authors, once each"),
    }),
    result: z.object({
      channels: z.array(e.ChannelStateSchema),
      nextCursor: e.nextActivityCursor,
      users: e.referredUsers,
    }),
    permission: { rule: "channel", can: "view" },
    botScope: "group.read",
  }),
  archiveThread: mutation({
    summary: "Archive a thread, as its author or with the permission to manage channels.",
    params: oneThread,
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.manage",
    errors: ["FORBIDDEN"],
  }),
  unarchiveThread: mutation({
    summary: "Unarchive a thread, as its author or with the permission to manage channels.",
    params: oneThread,
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.manage",
    errors: ["FORBIDDEN", "LIMIT_REACHED"],
  }),
  findThreads: internal({
    summary: "The given channels that are threads; deleted ones are left out.",
    params: z.object({ channelIds: z.array(e.id).max(LIMITS.channelsPerSync) }),
    result: z.object({ channels: z.array(e.ChannelSchema) }),
  }),
  listGivenThreads: internal({
    summary: "A page of the given threads, most recent message first; deleted ones are left out.",
    params: z.object({
      channelIds: z.array(e.id).max(LIMITS.threadsFollowedPerUser),
      ...e.activityPage.shape,
    }),
    result: z.object({ channels: z.array(e.ChannelSchema), nextCursor: e.nextActivityCursor }),
  }),
};

export const messageActions = {
  setThread: internal({
    summary: "Set the thread of a message; null: none. Repeatable.",
    params: e.oneMessage.extend({
      threadId: e.id.nullable(),
      rooms: z.array(z.string()).describe("rooms to notify"),
    }),
    result: z.object({ isSet: z.boolean().describe("false: the message doesn't exist") }),
  }),
  listChangedThreads: internal({
    summary: "A page of all threads of groups with messages, most recently changed one last.",
    params: z.object({
      groups: z
        .array(
          z.object({
            groupId: e.id,
            after: e.activityCursor.describe("the cursor of a thread, or `<milliseconds>-<24 zeros>`"),
          }),
        )
        .max(LIMITS.groupsPerUser),
      limit: z.int().min(1).max(LIMITS.channelsPerGroup),
    }),
    result: z.object({
      threads: z.array(
        z.object({ groupId: e.id, channelId: e.id, head: e.HeadSchema, cursor: e.activityCursor }),
      ),
    }),
  }),
};

import { z } from "zod";
import { mutation, query, internal, perMinute } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const oneThread = z.object({ channelId: e.id.describe("the thread's id") });
const slowModeSeconds = z.int().min(0).max(LIMITS.slowModeMaxSeconds).default(0);

export const ChannelSyncSchema = e.entity("ChannelSync", {
  channelId: e.id,
  status: z
    .enum(["ok", "resync", "gone"])
    .describe(
      "ok: these are all changes since; resync: too many, load the newest page; gone: not yours to see",
    ),
  messages: z.array(e.MessageSchema).describe("in the order of their rev"),
  head: e.HeadSchema.describe("ok: the messages are everything up to head.rev"),
});
export type ChannelSync = z.output<typeof ChannelSyncSchema>;

export const channelActions = {
  create: mutation({
    summary: "Create a text channel, a voice channel or a section in a group.",
    params: z.object({
      groupId: e.id,
      name: e.channelName,
      kind: z.enum(["text", "voice", "section"]).default("text"),
      topic: e.topic.default(""),
      sectionId: e.id.nullable().default(null),
      slowModeSeconds,
      private: z
        .boolean()
        .default(false)
        .describe("visible to the caller, the owner, and those in memberIds and roleIds"),
      memberIds: z.array(e.id).max(LIMITS.overridesPerChannel).default([]),
      roleIds: z.array(e.id).max(LIMITS.rolesPerGroup).default([]),
    }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "group", can: "manageChannels" },
    botScope: "channels.manage",
    audited: "channel",
    errors: ["LIMIT_REACHED", "CHANNEL_NOT_FOUND", "ROLE_NOT_FOUND", "MEMBER_NOT_FOUND"],
  }),
  update: mutation({
    summary: "Update a channel's name, topic, slow mode or position.",
    params: e.inChannel.extend({
      name: e.channelName.optional(),
      topic: e.topic.optional(),
      sectionId: e.id.nullable().optional(),
      slowModeSeconds: slowModeSeconds.removeDefault().optional(),
      position: z.int().min(0).max(10_000).optional(),
    }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "manageChannels" },
    botScope: "channels.manage",
    audited: "channel",
  }),
  reorder: mutation({
    summary: "Move channels of a group, in one operation. Repeatable.",
    params: z.object({
      groupId: e.id,
      places: z.array(e.ChannelPlaceSchema).min(1).max(LIMITS.channelsPerGroup),
    }),
    permission: { rule: "group", can: "manageChannels" },
    botScope: "channels.manage",
    audited: "channel",
    errors: ["CHANNEL_NOT_FOUND"],
  }),
  listOverrides: query({
    summary: "The permission overrides of a channel.",
    params: e.inChannel,
    result: z.object({ overrides: z.array(e.OverrideSchema) }),
    permission: { rule: "channel", can: "manageRoles" },
  }),
  setOverride: mutation({
    summary:
      "Override permissions in a channel for everyone, a role or a member. Denying `view` makes it private.",
    params: e.inChannel.extend({
      target: e.OverrideTargetSchema,
      allow: e.overrideBits,
      deny: e.overrideBits,
    }),
    result: z.object({ channel: e.ChannelSchema, overrides: z.array(e.OverrideSchema) }),
    permission: { rule: "channel", can: "manageRoles" },
    audited: "channel",
    errors: ["ROLE_NOT_FOUND", "MEMBER_NOT_FOUND", "LIMIT_REACHED"],
  }),
  removeOverride: mutation({
    summary: "Remove a channel's permission override for everyone, a role or a member.",
    params: e.inChannel.extend({ target: e.OverrideTargetSchema }),
    result: z.object({ channel: e.ChannelSchema, overrides: z.array(e.OverrideSchema) }),
    permission: { rule: "channel", can: "manageRoles" },
    audited: "channel",
  }),
  delete: mutation({
    summary: "Delete a channel with its messages. You can't undo this.",
    params: e.inChannel,
    permission: { rule: "channel", can: "manageChannels" },
    botScope: "channels.manage",
    audited: "channel",
  }),
  list: query({
    summary:
      "The channels of a group that the caller can see, each with its head and read marker. Almost always one page.",
    params: z.object({
      groupId: e.id,
      afterChannelId: e.id.optional().describe("the nextChannelId of the page before"),
    }),
    result: z.object({
      channels: z.array(e.ChannelStateSchema).describe("by position within the page"),
      nextChannelId: e.id.nullable().describe("null: this is the last page"),
    }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  markRead: mutation({
    summary: "Mark everything up to this message as read. Doesn't move the read marker back.",
    params: e.inChannel.extend({ seq: e.seq }),
    result: z.object({ lastReadSeq: e.seq }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
  }),
  markUnread: mutation({
    summary: "Mark this message and all later ones as unread. Doesn't move the read marker forward.",
    params: e.inChannel.extend({ seq: e.seq.min(1) }),
    result: z.object({ lastReadSeq: e.seq }),
    permission: { rule: "channel", can: "view" },
    botScope: "messages.read",
  }),
  sync: query({
    summary: "The changes in these channels since the given revs.",
    params: z.object({
      cursors: z
        .array(z.object({ channelId: e.id, afterRev: e.seq }))
        .min(1)
        .max(LIMITS.channelsPerSync),
      withUsers: e.withUsers,
    }),
    result: z.object({ channels: z.array(ChannelSyncSchema), users: e.referredUsers }),
    permission: { rule: "session" },
    botScope: "messages.read",
    isHeavy: true,
  }),
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

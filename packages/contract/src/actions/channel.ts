import { z } from "zod";
import { mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

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
};

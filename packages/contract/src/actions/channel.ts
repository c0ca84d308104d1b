import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const nothing = z.object({});
const inChannel = z.object({ channelId: e.id });

export const ChannelSyncSchema = z
  .object({
    channelId: e.id,
    status: z
      .enum(["ok", "resync", "gone"])
      .describe(
        "ok: these are all changes since; resync: too many, load the newest page; gone: not yours to see",
      ),
    messages: z.array(e.MessageSchema).describe("in the order of their rev"),
    head: e.HeadSchema.describe("ok: the messages are everything up to head.rev"),
  })
  .meta({ id: "ChannelSync" });
export type ChannelSync = z.output<typeof ChannelSyncSchema>;

export const channelActions = {
  "channel.create": action({
    summary: "Make a text channel in a group.",
    params: z.object({ groupId: e.id, name: e.channelName }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "group", can: "manageChannels" },
    errors: ["LIMIT_REACHED"],
  }),
  "channel.update": action({
    summary: "Rename a channel or move it in the list.",
    params: inChannel.extend({
      name: e.channelName.optional(),
      position: z.int().min(0).max(10_000).optional(),
    }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "manageChannels" },
  }),
  "channel.delete": action({
    summary: "Delete a channel with its messages, for ever.",
    params: inChannel,
    result: nothing,
    permission: { rule: "channel", can: "manageChannels" },
  }),
  "channel.list": action({
    summary: "The channels of a group that the caller sees, each with its head and what the caller has read.",
    params: z.object({ groupId: e.id }),
    result: z.object({ channels: z.array(e.ChannelStateSchema) }),
    permission: { rule: "group", can: "view" },
  }),
  "channel.openDirect": action({
    summary: "The direct channel between the caller and another user; made where there is none.",
    params: z.object({ userId: e.id }),
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "session" },
    errors: ["USER_NOT_FOUND"],
    // Each may put a channel into the list of somebody who has not asked for it.
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  "channel.listDirect": action({
    summary: "A page of the caller's direct channels, newest first by id.",
    params: z.object({
      beforeChannelId: e.id.optional(),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
    }),
    result: z.object({ channels: z.array(e.ChannelStateSchema) }),
    permission: { rule: "session" },
  }),
  "channel.markRead": action({
    summary: "Everything up to this message is read. A marker never goes back.",
    params: inChannel.extend({ seq: e.seq }),
    result: z.object({ lastReadSeq: e.seq }),
    permission: { rule: "channel", can: "view" },
  }),
  "channel.sync": action({
    summary: "What changed in these channels since the caller last looked.",
    params: z.object({
      cursors: z
        .array(z.object({ channelId: e.id, afterRev: e.seq }))
        .min(1)
        .max(LIMITS.channelsPerSync),
    }),
    result: z.object({ channels: z.array(ChannelSyncSchema) }),
    permission: { rule: "session" },
  }),
};

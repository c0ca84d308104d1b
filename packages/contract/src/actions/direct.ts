import { z } from "zod";
import { mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

/** Each call can add a channel to the list of a user who did not ask for it. */
const openLimit = perMinute(30);

export const channelActions = {
  openDirect: mutation({
    summary:
      "The direct channel between the caller and a user; created if it doesn't exist. With their own id, the caller's notes to themselves.",
    params: e.ofUser,
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "session" },
    errors: ["USER_NOT_FOUND", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  createGroupDirect: mutation({
    summary: "Create a group DM, owned by the caller.",
    params: z.object({
      userIds: z
        .array(e.id)
        .min(1)
        .max(LIMITS.membersPerGroupDirect - 1)
        .describe("the other users: friends of the caller, or members of a shared group"),
      name: e.channelName.optional(),
    }),
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "session" },
    errors: ["NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  addToDirect: mutation({
    summary: "Add a user to a group DM. They can see all earlier messages.",
    params: e.inChannel.extend({ userId: e.id }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "view" },
    errors: ["FORBIDDEN", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  removeFromDirect: mutation({
    summary:
      "Remove a user from a group DM, as its owner, or leave it. If the owner leaves, the longest-standing user " +
      "becomes the owner; when the last user leaves, the channel and its messages are deleted.",
    params: e.inChannel.extend({ userId: e.id }),
    permission: { rule: "channel", can: "view" },
    errors: ["FORBIDDEN", "MEMBER_NOT_FOUND"],
  }),
  renameDirect: mutation({
    summary: "Set or clear the name of a group DM.",
    params: e.inChannel.extend({ name: e.channelName.nullable() }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    errors: ["FORBIDDEN"],
    rateLimit: perMinute(20),
  }),
  closeDirect: mutation({
    summary: "Close a direct channel: it is not listed until the next message or `channel.openDirect`.",
    params: e.inChannel,
    permission: { rule: "channel", can: "view" },
    errors: ["FORBIDDEN"],
  }),
  listDirect: query({
    summary: "A page of the caller's direct channels, most recent message first.",
    params: e.activityPage.extend({
      withUsers: e.withUsers.describe("also return the profiles of the channels' members, once each"),
    }),
    result: z.object({
      channels: z
        .array(e.ChannelStateSchema)
        .describe("any page can have fewer than the limit: closed channels are left out"),
      nextCursor: e.nextActivityCursor,
      users: e.referredUsers,
    }),
    permission: { rule: "session" },
  }),
  get: query({
    summary:
      "One channel, with its head and the caller's read marker; for example after a message in an unknown direct channel.",
    params: e.inChannel,
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "channel", can: "view" },
  }),
};

import { z } from "zod";
import { mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const cursor = z.string().regex(/^\d{1,15}-[0-9a-f]{24}$/, "must be the nextCursor of a page");
/** Each may put a channel into the list of somebody who has not asked for it. */
const openLimit = perMinute(30);

export const channelActions = {
  openDirect: mutation({
    summary: "The direct channel between the caller and another user; made where there is none.",
    params: e.ofUser,
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "session" },
    errors: ["USER_NOT_FOUND", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  createGroupDirect: mutation({
    summary: "Make a direct channel of several. The caller looks after it.",
    params: z.object({
      userIds: z
        .array(e.id)
        .min(1)
        .max(LIMITS.membersPerGroupDirect - 1)
        .describe("the others: friends of the caller, or members of a common group"),
      name: e.channelName.optional(),
    }),
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "session" },
    errors: ["NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  addToDirect: mutation({
    summary: "Let somebody into a direct channel of several; they see all that was written before.",
    params: e.inChannel.extend({ userId: e.id }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "view" },
    errors: ["FORBIDDEN", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  removeFromDirect: mutation({
    summary:
      "Put somebody out of a direct channel of several, for who looks after it, or leave it. Who has been there the longest looks after " +
      "it then; with the last one it goes, and its messages with it.",
    params: e.inChannel.extend({ userId: e.id }),
    permission: { rule: "channel", can: "view" },
    errors: ["FORBIDDEN", "MEMBER_NOT_FOUND"],
  }),
  renameDirect: mutation({
    summary: "Give a direct channel of several a name, or take it away.",
    params: e.inChannel.extend({ name: e.channelName.nullable() }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    errors: ["FORBIDDEN"],
    rateLimit: perMinute(20),
  }),
  closeDirect: mutation({
    summary: "Put a direct channel out of the caller's list, until the next message or `channel.openDirect`.",
    params: e.inChannel,
    permission: { rule: "channel", can: "view" },
    errors: ["FORBIDDEN"],
  }),
  listDirect: query({
    summary: "A page of the caller's direct channels, those in which something was written last first.",
    params: z.object({
      cursor: cursor.optional().describe("the nextCursor of the page before"),
      limit: e.pageLimit,
    }),
    result: z.object({
      channels: z
        .array(e.ChannelStateSchema)
        .describe("may be fewer than the limit before the last page: closed ones are left out"),
      nextCursor: cursor.nullable().describe("null: this is the last page"),
    }),
    permission: { rule: "session" },
  }),
  get: query({
    summary:
      "One channel, with its head and what the caller has read: such as a direct channel that a message came in.",
    params: e.inChannel,
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "channel", can: "view" },
  }),
};

import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const nothing = z.object({});
const inChannel = z.object({ channelId: e.id });
const cursor = z.string().regex(/^\d{1,15}-[0-9a-f]{24}$/, "must be the nextCursor of a page");
/** Each may put a channel into the list of somebody who has not asked for it. */
const openLimit = { points: 30, durationMs: 60_000 };

export const channelActions = {
  openDirect: action({
    summary: "The direct channel between the caller and another user; made where there is none.",
    params: z.object({ userId: e.id }),
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "session" },
    mutates: true,
    botScope: null,
    cost: 3,
    errors: ["USER_NOT_FOUND", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  createGroupDirect: action({
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
    mutates: true,
    botScope: null,
    cost: 4,
    errors: ["NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  addToDirect: action({
    summary: "Let somebody into a direct channel of several; they see all that was written before.",
    params: inChannel.extend({ userId: e.id }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "view" },
    mutates: true,
    botScope: null,
    cost: 3,
    errors: ["FORBIDDEN", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: openLimit,
  }),
  removeFromDirect: action({
    summary:
      "Put somebody out of a direct channel of several, for who looks after it, or leave it. Who has been there the longest looks after " +
      "it then; with the last one it goes, and its messages with it.",
    params: inChannel.extend({ userId: e.id }),
    result: nothing,
    permission: { rule: "channel", can: "view" },
    mutates: true,
    botScope: null,
    cost: 3,
    errors: ["FORBIDDEN", "MEMBER_NOT_FOUND"],
  }),
  renameDirect: action({
    summary: "Give a direct channel of several a name, or take it away.",
    params: inChannel.extend({ name: e.channelName.nullable() }),
    result: z.object({ channel: e.ChannelSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["FORBIDDEN"],
    rateLimit: { points: 20, durationMs: 60_000 },
  }),
  closeDirect: action({
    summary: "Put a direct channel out of the caller's list, until the next message or `channel.openDirect`.",
    params: inChannel,
    result: nothing,
    permission: { rule: "channel", can: "view" },
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["FORBIDDEN"],
  }),
  listDirect: action({
    summary: "A page of the caller's direct channels, those in which something was written last first.",
    params: z.object({
      cursor: cursor.optional().describe("the nextCursor of the page before"),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
    }),
    result: z.object({
      channels: z
        .array(e.ChannelStateSchema)
        .describe("may be fewer than the limit before the last page: closed ones are left out"),
      nextCursor: cursor.nullable().describe("null: this is the last page"),
    }),
    permission: { rule: "session" },
    mutates: false,
    botScope: null,
    cost: 3,
  }),
  get: action({
    summary:
      "One channel, with its head and what the caller has read: such as a direct channel that a message came in.",
    params: inChannel,
    result: z.object({ channel: e.ChannelStateSchema }),
    permission: { rule: "channel", can: "view" },
    mutates: false,
    botScope: null,
    cost: 2,
  }),
};

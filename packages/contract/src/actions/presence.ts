import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { presenceRoom } from "../rooms.ts";

const reported = z.array(e.id).max(LIMITS.usersPerPresenceReport);

export const presenceActions = {
  watch: query({
    summary:
      "The presence of users; subscribes this socket to their changes. Users with no shared group or " +
      "direct channel who are not friends of the caller are left out.",
    params: e.ofUsers,
    result: z.object({
      presences: z.array(e.PresenceSchema),
      ownStatus: e.ownStatus.describe("the status set by the caller, independent of what others see"),
      expiresInMs: z.int().describe("the watch expires then: call again before"),
    }),
    permission: { rule: "session" },
    errors: ["LIMIT_REACHED"],
    rateLimit: { points: 60, durationMs: 10_000 },
    subscription: {
      join: ({ presences }) => presences.map(({ userId }) => presenceRoom(userId)),
      limit: "watchedUsersPerSocket",
      lifetimeMs: LIMITS.watchLifetimeMs,
    },
  }),
  unwatch: query({
    summary: "Unsubscribe this socket from the presence of these users.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.watchedUsersPerSocket) }),
    permission: { rule: "session" },
    subscription: { leave: ({ userIds }) => userIds.map(presenceRoom) },
  }),
  setStatus: mutation({
    summary: "Set the status that others see while the caller is connected. It stays until it is set again.",
    params: z.object({ status: e.ownStatus }),
    result: z.object({ status: e.ownStatus }),
    permission: { rule: "session" },
    rateLimit: perMinute(30),
  }),
  report: internal({
    summary: "Report connected and disconnected users of a gateway; with empty lists, a heartbeat.",
    params: z.object({
      gatewayId: z
        .string()
        .min(1)
        .max(200)
        .describe("unique per run of the gateway; a new one if known is false"),
      number: z.int().min(1).describe("1 for the first report; duplicates and outdated reports are ignored"),
      connected: reported,
      disconnected: reported,
    }),
    result: z.object({
      known: z.boolean().describe("false: the report was ignored. Report all users again, under a new id"),
    }),
  }),
};

export const channelActions = {
  typing: mutation({
    summary:
      "Show a typing indicator to others in the channel, unless too many users are typing. Never stored.",
    params: e.inChannel,
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    errors: ["MUTED"],
    rateLimit: { points: 30, durationMs: 10_000 },
  }),
};

import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { presenceRoom } from "../rooms.ts";

const users = z.array(e.id).min(1).max(LIMITS.usersPerLookup);
const reported = z.array(e.id).max(LIMITS.usersPerPresenceReport);

export const presenceActions = {
  watch: query({
    summary:
      "How users are now, and from now on this socket hears of their changes. Users that the caller shares no group and no " +
      "direct channel with, and who are no friends, are left out.",
    params: z.object({ userIds: users }),
    result: z.object({
      presences: z.array(e.PresenceSchema),
      ownStatus: e.ownStatus.describe("what the caller has set, whatever others see"),
      expiresInMs: z.int().describe("the watch ends then: call again before"),
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
    summary: "This socket no longer hears of these users.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.watchedUsersPerSocket) }),
    permission: { rule: "session" },
    subscription: { leave: ({ userIds }) => userIds.map(presenceRoom) },
  }),
  setStatus: mutation({
    summary: "What others see of the caller while connected. It stays until it is set again.",
    params: z.object({ status: e.ownStatus }),
    result: z.object({ status: e.ownStatus }),
    permission: { rule: "session" },
    rateLimit: perMinute(30),
  }),
  report: internal({
    summary: "A gateway tells who has come and gone there, and with empty lists that it is alive.",
    params: z.object({
      gatewayId: z.string().min(1).max(200).describe("of this run; a new one after it was forgotten"),
      number: z
        .int()
        .min(1)
        .describe("1 for its first report; a report is taken only once, and none after a later one"),
      connected: reported,
      disconnected: reported,
    }),
    result: z.object({
      known: z.boolean().describe("false: nothing was taken. Report everybody, as a new gateway"),
    }),
  }),
};

export const channelActions = {
  typing: mutation({
    summary:
      "The caller is writing: others in the channel are told, if not too many write at once. Never stored.",
    params: e.inChannel,
    permission: { rule: "channel", can: "sendMessages" },
    botScope: "messages.write",
    errors: ["MUTED"],
    rateLimit: { points: 30, durationMs: 10_000 },
  }),
};

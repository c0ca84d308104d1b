import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const memberOfCall = e.inChannel.extend({ userId: e.id });

export const callActions = {
  join: mutation({
    summary:
      "Join the call of a channel. Starts it if there is none, which requires sendMessages outside of voice channels; in a direct " +
      "channel, that rings the others. The caller leaves any other call.",
    params: e.inChannel,
    result: z.object({
      call: e.OngoingCallSchema,
      url: z.string().describe("the address of the LiveKit server, for browsers"),
      token: z.string().describe("for one connection to the LiveKit server, within a few minutes"),
    }),
    permission: { rule: "channel", can: "connect" },
    errors: ["CALLS_OFF", "MUTED", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: perMinute(60),
  }),
  leave: mutation({
    summary: "Leave the call of a channel. Also succeeds for users who are not in it.",
    params: e.inChannel,
    permission: { rule: "session" },
    errors: ["CALLS_OFF"],
  }),
  ring: mutation({
    summary: "Ring users who can see the channel and are not in its call. The caller must be in the call.",
    params: e.inChannel.extend({
      userIds: z
        .array(e.id)
        .min(1)
        .max(LIMITS.usersPerRing)
        .optional()
        .describe("absent: all other users of a direct channel"),
    }),
    permission: { rule: "channel", can: "connect" },
    errors: ["CALLS_OFF", "CALL_NOT_FOUND", "MUTED", "NOT_REACHABLE"],
    rateLimit: perMinute(20),
  }),
  decline: mutation({
    summary: "Decline to join a call: it no longer rings on any device of the caller.",
    params: e.inChannel,
    permission: { rule: "channel", can: "view" },
    errors: ["CALLS_OFF"],
  }),
  end: mutation({
    summary:
      "End the call of a channel for everyone. In a group, that requires manageChannels; in a direct channel, being in the call.",
    params: e.inChannel,
    permission: { rule: "channel", can: "connect" },
    errors: ["CALLS_OFF", "CALL_NOT_FOUND", "FORBIDDEN"],
    rateLimit: perMinute(30),
  }),
  muteMember: mutation({
    summary: "Mute a user in the call of a channel, or let them speak again.",
    params: memberOfCall.extend({ isMuted: z.boolean().default(true) }),
    permission: { rule: "channel", can: "muteMembers" },
    errors: ["CALLS_OFF", "CALL_NOT_FOUND", "FORBIDDEN"],
    audited: "user",
  }),
  moveMember: mutation({
    summary:
      "Move a user from the call of a channel to a voice channel of the same group, or remove them from the call.",
    params: memberOfCall.extend({
      toChannelId: e.id.nullable().describe("null: only remove them from the call"),
    }),
    permission: { rule: "channel", can: "moveMembers" },
    errors: ["CALLS_OFF", "CALL_NOT_FOUND", "CHANNEL_NOT_FOUND", "FORBIDDEN", "LIMIT_REACHED"],
    audited: "user",
  }),
  setSpeaking: mutation({
    summary:
      "Report whether the caller speaks in the call of a channel, for those who are not in it. Ignored while their microphone is off. " +
      "Never stored: repeat it while they speak.",
    params: e.inChannel.extend({ isSpeaking: z.boolean() }),
    permission: { rule: "channel", can: "speak" },
    errors: ["CALLS_OFF", "CALL_NOT_FOUND"],
    rateLimit: { points: 20, durationMs: 10_000 },
  }),
  list: query({
    summary:
      "The ongoing calls in the channels that the caller can see. Calls without participants are left out.",
    result: z.object({ calls: z.array(e.OngoingCallSchema).max(LIMITS.callsListed) }),
    permission: { rule: "session" },
  }),
  handleWebhook: internal({
    summary: "Handle an event of the LiveKit server.",
    params: z.object({
      body: z
        .string()
        .max(LIMITS.httpBodyMaxBytes)
        .describe("as it was received: the signature is of its bytes"),
      authorization: z.string().max(LIMITS.livekitTokenMaxChars).describe("the header"),
    }),
    errors: ["CALLS_OFF", "UNAUTHENTICATED"],
  }),
};

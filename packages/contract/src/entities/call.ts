import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { entity, id, time } from "./primitives.ts";

const CallParticipantSchema = entity("CallParticipant", {
  userId: id,
  joinedAt: time,
  isMicrophoneOn: z.boolean(),
  isCameraOn: z.boolean(),
  isScreenShared: z.boolean(),
  isMutedByModerator: z.boolean().describe("until a moderator lets them speak again, or the call ends"),
});

export const OngoingCallSchema = entity("OngoingCall", {
  id,
  channelId: id,
  groupId: id.nullable().describe("null for direct messages and group DMs"),
  startedByUserId: id,
  startedAt: time,
  participants: z
    .array(CallParticipantSchema)
    .max(LIMITS.callParticipantsShown)
    .describe("those who joined first"),
  participantCount: z.int().min(0).describe("also of those who are not listed"),
});
export type OngoingCall = z.output<typeof OngoingCallSchema>;

/** What a message says about a call that has ended. Its author started the call. */
export const EndedCallSchema = entity("EndedCall", {
  durationSeconds: z.int().min(0),
  participantUserIds: z
    .array(id)
    .max(LIMITS.callParticipantsShown)
    .describe("those who joined first, with the author"),
  missed: z.boolean().describe("whether no one joined the author, in a direct channel"),
});
export type EndedCall = z.output<typeof EndedCallSchema>;

import { z } from "zod";
import { entity, id, seq, time } from "./primitives.ts";
import { LIMITS } from "../limits.ts";

export const ChannelSchema = entity("Channel", {
  id,
  groupId: id.nullable().describe("null for direct messages and group DMs"),
  kind: z
    .enum(["text", "voice", "section", "direct", "groupDirect", "thread"])
    .describe("voice: a text channel whose call is always open"),
  name: z.string().describe("empty for a direct message, and for a group DM without a name"),
  topic: z.string(),
  sectionId: id.nullable().describe("the section that contains the channel"),
  position: z.int(),
  private: z.boolean().describe("whether the channel is hidden from some members"),
  slowModeSeconds: z.int().describe("minimum time between two messages of a user; 0: off"),
  memberIds: z.array(id).describe("the users of a direct channel, in the order they joined; empty otherwise"),
  ownerId: id.nullable().describe("the owner of a group DM or the author of a thread; null otherwise"),
  parentId: id.nullable().describe("the channel that a thread belongs to; null otherwise"),
  rootMessageId: id.nullable().describe("the message in the parent channel that started the thread"),
  archivedAt: time.nullable().describe("when a thread was archived; it can still be read and written to"),
  createdAt: time,
});
export type Channel = z.output<typeof ChannelSchema>;

/** The section and position of a group's channel. */
export const ChannelPlaceSchema = z.object({
  channelId: id,
  sectionId: id.nullable(),
  position: z.int().min(0).max(10_000),
});

/** The numbers of a channel's newest message and newest change. */
export const HeadSchema = entity("Head", { seq, rev: seq });
export type Head = z.output<typeof HeadSchema>;

/** A channel as one user sees it. Unread messages: `head.seq - lastReadSeq`. */
export const ChannelStateSchema = ChannelSchema.extend({ head: HeadSchema, lastReadSeq: seq }).meta({
  id: "ChannelState",
});
export type ChannelState = z.output<typeof ChannelStateSchema>;

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

import { z } from "zod";
import { entity, id, seq, time } from "./primitives.ts";

export const ChannelSchema = entity("Channel", {
  id,
  groupId: id.nullable().describe("null for a direct channel, of two or of several"),
  kind: z.enum(["text", "section", "direct", "groupDirect", "thread"]),
  name: z.string().describe("empty for a direct channel of two, and where nobody gave one"),
  topic: z.string(),
  sectionId: id.nullable().describe("the section of the group that it stands in"),
  position: z.int(),
  private: z.boolean().describe("whether some members of the group do not see it"),
  slowModeSeconds: z.int().describe("how long a user waits between two messages; 0: not at all"),
  memberIds: z.array(id).describe("the users of a direct channel, who came first first; empty elsewhere"),
  ownerId: id.nullable().describe("who looks after a groupDirect, or has opened a thread; null elsewhere"),
  parentId: id.nullable().describe("the channel that a thread belongs to; null elsewhere"),
  rootMessageId: id.nullable().describe("the message of the parent that a thread is about"),
  archivedAt: time.nullable().describe("when a thread was put away; it is still read and written in"),
  createdAt: time,
});
export type Channel = z.output<typeof ChannelSchema>;

/** Where a channel of a group is shown. */
export const ChannelPlaceSchema = z.object({
  channelId: id,
  sectionId: id.nullable(),
  position: z.int().min(0).max(10_000),
});

/** Where a channel stands: the numbers of its newest message and of its newest change. */
export const HeadSchema = entity("Head", { seq, rev: seq });
export type Head = z.output<typeof HeadSchema>;

/** A channel as one user sees it. Unread messages: `head.seq - lastReadSeq`. */
export const ChannelStateSchema = ChannelSchema.extend({ head: HeadSchema, lastReadSeq: seq }).meta({
  id: "ChannelState",
});
export type ChannelState = z.output<typeof ChannelStateSchema>;

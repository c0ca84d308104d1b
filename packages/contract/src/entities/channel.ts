import { z } from "zod";
import { id, seq, time } from "./primitives.ts";

export const ChannelSchema = z
  .object({
    id,
    groupId: id.nullable().describe("null for a direct channel"),
    kind: z.enum(["text", "section", "direct"]),
    name: z.string().describe("empty for a direct channel"),
    topic: z.string(),
    sectionId: id.nullable().describe("the section of the group that it stands in"),
    position: z.int(),
    private: z.boolean().describe("whether some members of the group do not see it"),
    slowModeSeconds: z.int().describe("how long a user waits between two messages; 0: not at all"),
    memberIds: z.array(id).describe("the two users of a direct channel; empty elsewhere"),
    createdAt: time,
  })
  .meta({ id: "Channel" });
export type Channel = z.output<typeof ChannelSchema>;

/** Where a channel of a group is shown. */
export const ChannelPlaceSchema = z.object({
  channelId: id,
  sectionId: id.nullable(),
  position: z.int().min(0).max(10_000),
});

/** Where a channel stands: the numbers of its newest message and of its newest change. */
export const HeadSchema = z.object({ seq, rev: seq }).meta({ id: "Head" });
export type Head = z.output<typeof HeadSchema>;

/** A channel as one user sees it. Unread messages: `head.seq - lastReadSeq`. */
export const ChannelStateSchema = ChannelSchema.extend({ head: HeadSchema, lastReadSeq: seq }).meta({
  id: "ChannelState",
});
export type ChannelState = z.output<typeof ChannelStateSchema>;

import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const messageEvents = {
  "message.created": event({
    summary: "New messages of one channel, in order: those that were stored together come together.",
    audience: "channel",
    payload: z.object({ channelId: e.id, messages: z.array(e.MessageSchema) }),
  }),
  "message.changed": event({
    summary: "A message was edited, pinned or unpinned, or has its previews.",
    audience: "channel",
    payload: z.object({ message: e.MessageSchema }),
  }),
  "reaction.changed": event({
    summary: "The reactions of a message are these now. It may be told a while later, and of many together.",
    audience: "channel",
    payload: z.object({
      channelId: e.id,
      messageId: e.id,
      seq: e.seq,
      rev: e.seq.describe("the number of this change"),
      afterRev: e.seq.describe(
        "the number of the message's change before it; who has not seen that one lacks something",
      ),
      reactions: z.array(e.ReactionSchema),
    }),
  }),
  "message.deleted": event({
    summary: "A message was deleted; what remains of it is here.",
    audience: "channel",
    payload: z.object({ message: e.MessageSchema }),
  }),
};

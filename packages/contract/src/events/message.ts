import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const messageEvents = {
  "message.created": event(
    "channel",
    "New messages of one channel, in the order of their rev; messages stored together come in one event. Can be missing or repeated: see docs/protocol.md.",
    { channelId: e.id, messages: z.array(e.MessageSchema) },
  ),
  "message.changed": event("channel", "A message was edited, pinned or unpinned, or got its previews.", {
    message: e.MessageSchema,
  }),
  "reaction.changed": event(
    "channel",
    "The present reactions of a message. Sent some time after a reaction, once for several.",
    {
      channelId: e.id,
      messageId: e.id,
      seq: e.seq,
      rev: e.seq.describe("the number of this change"),
      afterRev: e.seq.describe(
        "the message's rev before this change; a client whose message has another rev calls channel.sync",
      ),
      reactions: z.array(e.ReactionSchema),
    },
  ),
  "message.deleted": event("channel", "A message was deleted; what remains of it is here.", {
    message: e.MessageSchema,
  }),
};

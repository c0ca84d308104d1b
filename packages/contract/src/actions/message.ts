import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const inChannel = z.object({ channelId: e.id });
const oneMessage = inChannel.extend({ messageId: e.id });
const position = e.seq.optional();

export const messageActions = {
  "message.send": action({
    summary: "Send a message. When this is answered, the message is on disk.",
    params: inChannel.extend({
      content: e.messageContent,
      nonce: e.nonce,
      replyTo: e.id.optional(),
      resend: z
        .boolean()
        .optional()
        .describe("true when this nonce was sent before: the server then looks for that message first"),
    }),
    result: z.object({ message: e.MessageSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    errors: ["MUTED", "MESSAGE_NOT_FOUND"],
    rateLimit: { points: 120, durationMs: 10_000 },
  }),
  "message.edit": action({
    summary: "Change the text of one's own message.",
    params: oneMessage.extend({ content: e.messageContent }),
    result: z.object({ message: e.MessageSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    errors: ["MUTED", "MESSAGE_NOT_FOUND", "FORBIDDEN", "LIMIT_REACHED"],
  }),
  "message.delete": action({
    summary: "Delete one's own message, or anyone's for those who manage messages.",
    params: oneMessage,
    result: z.object({}),
    permission: { rule: "channel", can: "view" },
    errors: ["MESSAGE_NOT_FOUND", "FORBIDDEN"],
  }),
  "message.get": action({
    summary: "One message.",
    params: oneMessage,
    result: z.object({ message: e.MessageSchema }),
    permission: { rule: "channel", can: "view" },
    errors: ["MESSAGE_NOT_FOUND"],
  }),
  "message.list": action({
    summary: "A page of messages in the order of their seq: the newest, or before, after or around a seq.",
    params: inChannel
      .extend({
        before: position,
        after: position,
        around: position,
        limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
      })
      .refine(
        ({ before, after, around }) => [before, after, around].filter((p) => p !== undefined).length <= 1,
        "give at most one of before, after and around",
      ),
    result: z.object({
      messages: z.array(e.MessageSchema),
      head: e.HeadSchema.describe("the channel as it was just before the page was read"),
    }),
    permission: { rule: "channel", can: "view" },
  }),
  "message.removeChannels": action({
    summary:
      "Remove everything that was written in these channels. Answered when that is noted for good; repeatable.",
    params: z.object({ channelIds: z.array(e.id).min(1).max(LIMITS.channelsPerGroup) }),
    result: z.object({}),
    permission: { rule: "internal" },
  }),
  "message.listHeads": action({
    summary: "Where channels stand, and what a user has read of them, in the order asked for.",
    params: z.object({ userId: e.id, channelIds: z.array(e.id).max(LIMITS.channelsPerGroup) }),
    result: z.object({
      heads: z.array(z.object({ channelId: e.id, head: e.HeadSchema, lastReadSeq: e.seq })),
    }),
    permission: { rule: "internal" },
  }),
};

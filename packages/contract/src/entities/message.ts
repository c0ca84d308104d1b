import { z } from "zod";
import { id, seq, time } from "./primitives.ts";

export const MessageSchema = z
  .object({
    id,
    channelId: id,
    seq: seq.describe("Its place in the channel: 1 for the first message."),
    rev: seq.describe("The number of the channel's change that made it what it is."),
    authorId: id,
    content: z.string().describe("empty when deleted"),
    replyTo: id.nullable(),
    nonce: z.string(),
    createdAt: time,
    editedAt: time.nullable(),
    deletedAt: time.nullable(),
  })
  .meta({ id: "Message" });
export type Message = z.output<typeof MessageSchema>;

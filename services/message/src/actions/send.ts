import type { Handler } from "@fanfare/kernel";
import type { Parts } from "../parts.ts";

export function send({ sender }: Parts): Handler<"message.send"> {
  return async ({ params, actor, access }) => {
    const { channelId, content, nonce, replyTo, resend } = params;
    const { rooms } = access;
    const authorId = actor.userId;
    return { message: await sender.send({ channelId, authorId, content, nonce, replyTo, resend, rooms }) };
  };
}

import type { Handler } from "@fanfare/kernel";
import type { Parts } from "../parts.ts";

export function send({ sender }: Parts): Handler<"message.send"> {
  return async ({ params, actor, access, call }) => {
    const { channelId, content, nonce, replyTo, resend, mentionAuthor } = params;
    const authorId = actor.userId;
    const message = { channelId, authorId, content, nonce, replyTo, resend, mentionAuthor, access, call };
    return { message: await sender.send(message) };
  };
}

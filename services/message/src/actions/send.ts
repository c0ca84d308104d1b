import { may, serviceError, type Handler } from "@fanfare/kernel";
import type { Parts } from "../parts.ts";

export function send({ sender }: Parts): Handler<"message.send"> {
  return async ({ params, actor, access, call }) => {
    const { channelId, content, nonce, replyTo, resend, mentionAuthor } = params;
    const authorId = actor.userId;
    const { attachmentIds } = params;
    if (attachmentIds.length > 0 && !may(access, "attachFiles")) throw serviceError("FORBIDDEN");
    const message = {
      channelId,
      authorId,
      content,
      nonce,
      replyTo,
      resend,
      mentionAuthor,
      access,
      call,
      attachmentIds,
    };
    return { message: await sender.send(message) };
  };
}

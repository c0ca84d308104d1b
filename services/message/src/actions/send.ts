import { may, serviceError, type Handler } from "@fanfare/kernel";
import type { MessageDependencies } from "../message.dependencies.ts";

export function send({ sender }: MessageDependencies): Handler<"message.send"> {
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

import type { Handler } from "@fanfare/kernel";
import { claimAttachments } from "../claim-attachments.ts";
import type { Parts } from "../parts.ts";

export function send({ sender }: Parts): Handler<"message.send"> {
  return async ({ params, actor, access, call }) => {
    const { channelId, content, nonce, replyTo, resend, mentionAuthor } = params;
    const authorId = actor.userId;
    const attachments = claimAttachments(params.attachmentIds, access);
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
      attachments,
    };
    return { message: await sender.send(message) };
  };
}

import { serviceError, type Handler } from "@fanfare/kernel";
import { may } from "@fanfare/kernel";
import type { MessageDependencies } from "../message.dependencies.ts";

export function post({ sender, node }: MessageDependencies): Handler<"message.post"> {
  return async ({ params: { channelId, authorId, content, nonce, replyTo, mentionAuthor, as } }) => {
    const access = await node.access.get(authorId, { channelId });
    if (!may(access, "view")) throw serviceError("CHANNEL_NOT_FOUND");
    if (!may(access, "sendMessages")) throw serviceError("FORBIDDEN");
    if (access.mutedUntilMs > Date.now()) {
      throw serviceError("MUTED", { mutedUntil: new Date(access.mutedUntilMs).toISOString() });
    }
    const message = { channelId, authorId, content, nonce, replyTo, mentionAuthor, access, as, call: null };
    return { message: await sender.send(message) };
  };
}

import { serviceError, type Handler } from "@fanfare/kernel";
import type { MessageDependencies } from "../message.dependencies.ts";

export function listReactors({ messages, reactions }: MessageDependencies): Handler<"message.listReactors"> {
  return async ({ params: { channelId, messageId, emoji, afterUserId, limit } }) => {
    const message = await messages.find(channelId, messageId);
    if (message === null || message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
    const userIds = await reactions.users(messageId, emoji, afterUserId, limit);
    return { userIds, nextUserId: userIds.length < limit ? null : userIds.at(-1)! };
  };
}

export function listOwnReactions({ reactions }: MessageDependencies): Handler<"message.listOwnReactions"> {
  return async ({ params: { channelId, messageIds }, actor }) => {
    const found = await reactions.ofUser(actor.userId, messageIds);
    const here = found.filter((reaction) => reaction.channelId === channelId);
    return { reactions: here.map(({ messageId, emoji }) => ({ messageId, emoji })) };
  };
}

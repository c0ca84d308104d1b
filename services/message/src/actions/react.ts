import { LIMITS } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { REACTION_CHANGES } from "../bounds.ts";
import type { MessageDocument } from "../message.model.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

export function react({
  messages,
  reactions,
  reactionCounter,
}: MessageDependencies): Handler<"message.react"> {
  return async ({ params: { channelId, messageId, emoji }, actor, access }) => {
    const message = await existing(messages, channelId, messageId);
    if (message.revs.length >= REACTION_CHANGES) {
      throw serviceError("LIMIT_REACHED", { limit: "changesPerMessage", max: LIMITS.changesPerMessage });
    }
    if (message.reactions?.some((reaction) => reaction.emoji === emoji) !== true) {
      const emojis = await reactions.emojis(messageId, LIMITS.reactionsPerMessage);
      if (emojis.length >= LIMITS.reactionsPerMessage && !emojis.includes(emoji)) {
        throw serviceError("LIMIT_REACHED", {
          limit: "reactionsPerMessage",
          max: LIMITS.reactionsPerMessage,
        });
      }
    }
    const { userId } = actor;
    await reactionCounter.change(channelId, messageId, access.rooms, () =>
      reactions.add({ channelId, messageId, emoji, userId }),
    );
    return {};
  };
}

export function unreact({
  messages,
  reactions,
  reactionCounter,
}: MessageDependencies): Handler<"message.unreact"> {
  return async ({ params: { channelId, messageId, emoji }, actor: { userId }, access }) => {
    await existing(messages, channelId, messageId);
    await reactionCounter.change(channelId, messageId, access.rooms, () =>
      reactions.remove({ channelId, messageId, emoji, userId }),
    );
    return {};
  };
}

async function existing(
  messages: MessageDependencies["messages"],
  channelId: string,
  messageId: string,
): Promise<MessageDocument> {
  const message = await messages.find(channelId, messageId);
  if (message === null || message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
  return message;
}

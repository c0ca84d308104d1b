import type { BotEvent, Invocation, Message } from "@fanfare/contract";

export type CallbackEvent =
  | { type: Exclude<BotEvent, "command.invoked">; message: Message }
  | { type: "command.invoked"; invocation: Invocation };

/**
 * What changes of a channel's log are to a bot: those that it has asked for, without its own messages.
 * @param afterSeq the newest message that the bot has been told of
 */
export function toEvents(
  messages: readonly Message[],
  afterSeq: number,
  wanted: readonly BotEvent[],
  botId: string,
): CallbackEvent[] {
  return messages.flatMap((message): CallbackEvent[] => {
    if (message.authorId === botId) return [];
    const isNew = message.seq > afterSeq;
    // Gone before the bot heard of it.
    if (isNew && message.deletedAt !== null) return [];
    const type =
      message.deletedAt !== null ? "message.deleted" : isNew ? "message.created" : "message.changed";
    return wanted.includes(type) ? [{ type, message }] : [];
  });
}

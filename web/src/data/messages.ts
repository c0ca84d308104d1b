import type { Message } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ServerCache } from "./cache.ts";
import { useAsk } from "./data-context.ts";
import type { On } from "./live-on.ts";
import { withReactions } from "./reactions.ts";

/** One message, such as what another one answers; an error MESSAGE_NOT_FOUND where there is none. */
export function useMessage(channelId: string, messageId: string): UseQueryResult<Message> {
  return useAsk("message.get", { channelId, messageId }, { select: ({ message }) => message });
}

export function listenMessages(cache: ServerCache, on: On): void {
  const hear = (message: Message): void => {
    cache.patch("message.get", (answer) => (answer.message.rev < message.rev ? { message } : answer), {
      messageId: message.id,
    });
  };
  on("message.changed", ({ message }) => hear(message));
  on("message.deleted", ({ message }) => hear(message));
  on("reaction.changed", ({ messageId, rev, reactions }) => {
    cache.patch(
      "message.get",
      (answer) =>
        answer.message.rev < rev ? { message: withReactions(answer.message, rev, reactions) } : answer,
      { messageId },
    );
  });
}

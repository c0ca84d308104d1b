import { serviceError, type Handler } from "@fanfare/kernel";
import { RETRY_AFTER_MS } from "../limits.ts";
import { mayDelete } from "../message.policy.ts";
import { presentMessage } from "../message.presenter.ts";
import type { Parts } from "../parts.ts";

/** An edit that is faster can take the message to a higher rev; then the deletion needs a number above that. */
const MAX_ATTEMPTS = 5;

export function remove({ messages, commit }: Parts): Handler<"message.delete"> {
  return async ({ params, actor, access }) => {
    const { channelId, messageId } = params;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const message = await messages.find(channelId, messageId);
      if (message === null) throw serviceError("MESSAGE_NOT_FOUND");
      if (!mayDelete(actor.userId, presentMessage(message), access)) throw serviceError("FORBIDDEN");
      if (message.deletedAt !== null) return {};
      const deleted = await commit.change(channelId, {
        messageId,
        set: { content: "", deletedAt: new Date() },
        announce: "message.deleted",
        rooms: access.rooms,
      });
      if (deleted !== null) return {};
    }
    throw serviceError("OVERLOADED", { retryAfterMs: RETRY_AFTER_MS });
  };
}

import { LIMITS } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { mayEdit } from "../message.policy.ts";
import { presentMessage } from "../message.presenter.ts";
import type { Parts } from "../parts.ts";

export function edit({ messages, commit }: Parts): Handler<"message.edit"> {
  return async ({ params, actor, access }) => {
    const { channelId, messageId, content } = params;
    const before = await messages.find(channelId, messageId);
    if (before === null || before.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
    if (!mayEdit(actor.userId, presentMessage(before))) throw serviceError("FORBIDDEN");
    // The first number is that of its creation.
    if (before.revs.length > LIMITS.editsPerMessage) {
      throw serviceError("LIMIT_REACHED", { limit: "editsPerMessage", max: LIMITS.editsPerMessage });
    }
    const message = await commit.change(channelId, {
      messageId,
      set: { content, editedAt: new Date() },
      announce: "message.changed",
      rooms: access.rooms,
    });
    if (message === null) throw serviceError("MESSAGE_NOT_FOUND");
    return { message };
  };
}

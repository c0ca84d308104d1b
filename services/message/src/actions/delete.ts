import { serviceError, type Handler } from "@fanfare/kernel";
import { mayDelete } from "../message.policy.ts";
import { presentMessage } from "../message.presenter.ts";
import type { Parts } from "../parts.ts";

export function remove({ messages, commit }: Parts): Handler<"message.delete"> {
  return async ({ params, actor, access }) => {
    const { channelId, messageId } = params;
    const message = await messages.find(channelId, messageId);
    if (message === null) throw serviceError("MESSAGE_NOT_FOUND");
    if (!mayDelete(actor.userId, presentMessage(message), access)) throw serviceError("FORBIDDEN");
    if (message.deletedAt !== null) return {};
    await commit.change(channelId, {
      messageId,
      set: { content: "", deletedAt: new Date() },
      announce: "message.deleted",
      rooms: access.rooms,
    });
    return {};
  };
}

import { serviceError, type Handler } from "@fanfare/kernel";
import { presentMessage } from "../message.presenter.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

export function get({ messages }: MessageDependencies): Handler<"message.get"> {
  return async ({ params: { channelId, messageId } }) => {
    const message = await messages.find(channelId, messageId);
    if (message === null) throw serviceError("MESSAGE_NOT_FOUND");
    return { message: presentMessage(message) };
  };
}

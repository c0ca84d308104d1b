import type { Handler } from "@fanfare/kernel";
import type { MessageDependencies } from "../message.dependencies.ts";

export function findSent({ messages }: MessageDependencies): Handler<"message.findSent"> {
  return async ({ params: { channelId, authorId, nonce } }) => {
    const found = await messages.findByNonce(channelId, authorId, nonce, true);
    return { attachments: found?.attachments ?? [] };
  };
}

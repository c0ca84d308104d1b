import type { Handler } from "@fanfare/kernel";
import type { Parts } from "../parts.ts";

export function findSent({ messages }: Parts): Handler<"message.findSent"> {
  return async ({ params: { channelId, authorId, nonce } }) => {
    const found = await messages.findByNonce(channelId, authorId, nonce, true);
    return { attachments: found?.attachments ?? [] };
  };
}

import { LIMITS } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import { changeMessage } from "../change-message.ts";
import type { Parts } from "../parts.ts";

export function setEmbeds(parts: Parts): Handler<"message.setEmbeds"> {
  return async ({ params: { channelId, messageId, embeds, editedAt } }) => {
    const message = await parts.messages.find(channelId, messageId);
    if (message === null) return { isSet: false };
    const rooms = await parts.roomsFor(message.authorId.toHexString(), channelId);
    let isSet = false;
    const options = { channelId, messageId, rooms, announce: "message.changed" } as const;
    await changeMessage(parts, options, (before) => {
      isSet =
        (before.editedAt?.toISOString() ?? null) === editedAt &&
        before.revs.length < LIMITS.changesPerMessage;
      if (!isSet || JSON.stringify(before.embeds ?? []) === JSON.stringify(embeds)) return null;
      return { embeds: embeds.length === 0 ? undefined : embeds };
    });
    return { isSet };
  };
}

import { LIMITS } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import { changeMessage } from "../change-message.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

export function setEmbeds(dependencies: MessageDependencies): Handler<"message.setEmbeds"> {
  return async ({ params: { channelId, messageId, embeds, editedAt } }) => {
    const message = await dependencies.messages.find(channelId, messageId);
    if (message === null) return { isSet: false };
    const rooms = await dependencies.roomsFor(message.authorId.toHexString(), channelId);
    let isSet = false;
    const options = { channelId, messageId, rooms, announce: "message.changed" } as const;
    await changeMessage(dependencies, options, (before) => {
      isSet =
        (before.editedAt?.toISOString() ?? null) === editedAt &&
        before.revs.length < LIMITS.changesPerMessage;
      if (!isSet || JSON.stringify(before.embeds ?? []) === JSON.stringify(embeds)) return null;
      return { embeds: embeds.length === 0 ? undefined : embeds };
    });
    return { isSet };
  };
}

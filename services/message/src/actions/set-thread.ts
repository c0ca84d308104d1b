import type { Handler } from "@fanfare/kernel";
import { Types } from "mongoose";
import { changeMessage } from "../change-message.ts";
import type { Parts } from "../parts.ts";

export function setThread(parts: Parts): Handler<"message.setThread"> {
  return async ({ params: { channelId, messageId, threadId, rooms } }) => {
    const message = await changeMessage(
      parts,
      { channelId, messageId, rooms, announce: "message.changed" },
      (before) =>
        (before.threadId?.toHexString() ?? null) === threadId
          ? null
          : { threadId: threadId === null ? undefined : new Types.ObjectId(threadId) },
    );
    return { isSet: message !== null };
  };
}

import type { Handler } from "@fanfare/kernel";
import { Types } from "mongoose";
import { changeMessage } from "../change-message.ts";
import type { MessageDependencies } from "../message.dependencies.ts";

export function setThread(dependencies: MessageDependencies): Handler<"message.setThread"> {
  return async ({ params: { channelId, messageId, threadId, rooms } }) => {
    const message = await changeMessage(
      dependencies,
      { channelId, messageId, rooms, announce: "message.changed" },
      (before) =>
        (before.threadId?.toHexString() ?? null) === threadId
          ? null
          : { threadId: threadId === null ? undefined : new Types.ObjectId(threadId) },
    );
    return { isSet: message !== null };
  };
}

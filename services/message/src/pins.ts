import { LIMITS, type Message } from "@fanfare/contract";
import { AnswerBudget, assertBelow, type Handlers, serviceError } from "@fanfare/kernel";
import { Types } from "mongoose";
import { changeMessage } from "./change.ts";
import type { MessageChange } from "./message.model.ts";
import { mayPin } from "./message.policy.ts";
import { takeInto } from "./message.presenter.ts";
import type { MessageDependencies } from "./message.dependencies.ts";

export function pinActions(dependencies: MessageDependencies): Handlers {
  const { messages } = dependencies;
  return {
    "message.pin": async ({ params: { channelId, messageId }, actor, access }) => {
      if (!mayPin(access)) throw serviceError("FORBIDDEN");
      const { rooms } = access;
      const options = { channelId, messageId, rooms, announce: "message.changed" } as const;
      const message = await changeMessage(
        dependencies,
        options,
        async (before): Promise<MessageChange | null> => {
          if (before.pinnedAt !== undefined) return null;
          assertBelow("changesPerMessage", before.revs.length);
          assertBelow("pinsPerChannel", await dependencies.messages.countPins(channelId));
          const pinnedBy = new Types.ObjectId(actor.userId);
          return { pinnedAt: new Date(), pinnedBy, pinnedIn: before.channelId };
        },
      );
      if (message === null) throw serviceError("MESSAGE_NOT_FOUND");
      return { message };
    },

    "message.unpin": async ({ params: { channelId, messageId }, access }) => {
      if (!mayPin(access)) throw serviceError("FORBIDDEN");
      const { rooms } = access;
      const options = { channelId, messageId, rooms, announce: "message.changed" } as const;
      const message = await changeMessage(dependencies, options, (before) => {
        if (before.pinnedAt === undefined) return null;
        assertBelow("changesPerMessage", before.revs.length);
        return { pinnedAt: undefined, pinnedBy: undefined, pinnedIn: undefined };
      });
      if (message === null) throw serviceError("MESSAGE_NOT_FOUND");
      return { message };
    },

    "message.listPins": async ({ params: { channelId, skip } }) => {
      const pins: Message[] = [];
      const take = takeInto(pins, new AnswerBudget());
      const end = await messages.scanPins(channelId, skip, LIMITS.pinsPerChannel, take);
      return { messages: pins, nextSkip: end === "refused" ? skip + pins.length : null };
    },
  };
}

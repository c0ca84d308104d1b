import { LIMITS, type Message } from "@fanfare/contract";
import {
  type Access,
  ResponseBudget,
  assertBelow,
  type Handlers,
  orThrow,
  responseUsers,
  serviceError,
  usersInMessages,
} from "@fanfare/kernel";
import { Types } from "mongoose";
import { changeMessage } from "./change.ts";
import { canPin } from "./message.policy.ts";
import { takeInto } from "./message.presenter.ts";
import type { MessageDependencies } from "./message.dependencies.ts";

export function pinActions(dependencies: MessageDependencies): Handlers {
  const { messages } = dependencies;
  return {
    "message.pin": ({ params, actor, access }) =>
      setPin(dependencies, params, access, async ({ pinnedAt, revs, channelId }) => {
        if (pinnedAt !== undefined) return null;
        assertBelow("changesPerMessage", revs.length);
        assertBelow("pinsPerChannel", await messages.countPins(params.channelId));
        return { pinnedAt: new Date(), pinnedBy: new Types.ObjectId(actor.userId), pinnedIn: channelId };
      }),

    "message.unpin": ({ params, access }) =>
      setPin(dependencies, params, access, ({ pinnedAt, revs }) => {
        if (pinnedAt === undefined) return null;
        assertBelow("changesPerMessage", revs.length);
        return { pinnedAt: undefined, pinnedBy: undefined, pinnedIn: undefined };
      }),

    "message.listPins": async ({ params: { channelId, skip, withUsers }, services }) => {
      const pins: Message[] = [];
      const take = takeInto(pins, new ResponseBudget());
      const end = await messages.scanPins(channelId, skip, LIMITS.pinsPerChannel, take);
      const users = await responseUsers(services, withUsers, usersInMessages(pins));
      return { messages: pins, nextSkip: end === "refused" ? skip + pins.length : null, ...users };
    },
  };
}

async function setPin(
  dependencies: MessageDependencies,
  params: { channelId: string; messageId: string },
  access: Access,
  change: Parameters<typeof changeMessage>[2],
): Promise<{ message: Message }> {
  if (!canPin(access)) throw serviceError("FORBIDDEN");
  const options = { ...params, rooms: access.rooms, announce: "message.changed" } as const;
  return { message: orThrow(await changeMessage(dependencies, options, change), "MESSAGE_NOT_FOUND") };
}

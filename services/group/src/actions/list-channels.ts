import type { Handler } from "@fanfare/kernel";
import { channelStates } from "../channel-states.ts";
import type { GroupDependencies } from "../group.dependencies.ts";

export function listChannels({ channels }: GroupDependencies): Handler<"channel.list"> {
  return async ({ params, actor, call }) => ({
    channels: await channelStates(call, actor.userId, await channels.listOfGroup(params.groupId)),
  });
}

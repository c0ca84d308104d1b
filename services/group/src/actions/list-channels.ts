import type { Handler } from "@fanfare/kernel";
import { needActor } from "../authority.ts";
import { channelStates } from "../channel-states.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { sees } from "../subjects.ts";

export function listChannels(dependencies: GroupDependencies): Handler<"channel.list"> {
  return async ({ params: { groupId }, actor, call }) => {
    const [own, listed] = await Promise.all([
      needActor(dependencies, groupId, actor.userId),
      dependencies.channels.listOfGroup(groupId),
    ]);
    const seen = listed.filter((channel) => sees(own.subject, channel));
    return { channels: await channelStates(call, actor.userId, seen) };
  };
}

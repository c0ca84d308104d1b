import { AnswerBudget, type Handler } from "@fanfare/kernel";
import { needActor } from "../authority.ts";
import { channelStates } from "../channel-states.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { sees } from "../subjects.ts";

export function listChannels(dependencies: GroupDependencies): Handler<"channel.list"> {
  return async ({ params: { groupId, afterChannelId = "" }, actor, call }) => {
    const [own, listed] = await Promise.all([
      needActor(dependencies, groupId, actor.userId),
      dependencies.channels.listOfGroup(groupId),
    ]);
    const seen = listed.filter((channel) => channel._id > afterChannelId && sees(own.subject, channel));
    const states = await channelStates(call, actor.userId, seen);
    // Pages go by id, which never changes; positions can change between two pages.
    const byId = states.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const page = new Set(new AnswerBudget().cut(byId));
    return {
      channels: states.filter((state) => page.has(state)),
      nextChannelId: page.size < byId.length ? byId[page.size - 1]!.id : null,
    };
  };
}

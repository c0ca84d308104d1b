import type { Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { loadMember, sees } from "../subjects.ts";

export function admitBot({ membership }: GroupDependencies): Handler<"group.admitBot"> {
  return async ({ params: { groupId, userId }, askedAtMs }) => {
    await membership.admit(groupId, userId, askedAtMs);
    return {};
  };
}

export function listSeenChannels(dependencies: GroupDependencies): Handler<"group.listSeenChannels"> {
  return async ({ params: { groupId, userId } }) => {
    const [member, channels] = await Promise.all([
      loadMember(dependencies, groupId, userId),
      dependencies.channels.listOfGroup(groupId),
    ]);
    if (member === null) return { channels: [] };
    return {
      channels: channels
        .filter((channel) => channel.kind === "text" && sees(member.subject, channel))
        .map(({ _id, createdAt }) => ({ channelId: _id, createdAt: createdAt.toISOString() })),
    };
  };
}

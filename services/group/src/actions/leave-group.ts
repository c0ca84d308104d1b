import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { outdated } from "../membership.ts";

export function leaveGroup({ groups, members, membership }: GroupDependencies): Handler<"group.leave"> {
  return async ({ params: { groupId }, actor, askedAtMs }) => {
    const group = await groups.find(groupId);
    if (group === null) throw serviceError("GROUP_NOT_FOUND");
    if (group.ownerId === actor.userId) throw serviceError("OWNER_CANNOT_LEAVE");
    const member = await members.find(groupId, actor.userId);
    // The user has left and joined again since: that membership is not the one that this call ends.
    if (member !== null && member.joinedAt.getTime() > askedAtMs) throw outdated();
    const removal = await membership.remove(groupId, actor.userId, "left");
    if (removal === "is the owner") throw serviceError("OWNER_CANNOT_LEAVE");
    return {};
  };
}

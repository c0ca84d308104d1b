import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

export function leaveGroup({ groups, membership }: GroupDependencies): Handler<"group.leave"> {
  return async ({ params: { groupId }, actor }) => {
    const group = await groups.find(groupId);
    if (group === null) throw serviceError("GROUP_NOT_FOUND");
    if (group.ownerId.toHexString() === actor.userId) throw serviceError("OWNER_CANNOT_LEAVE");
    const removal = await membership.remove(groupId, actor.userId, "left");
    if (removal === "is the owner") throw serviceError("OWNER_CANNOT_LEAVE");
    return {};
  };
}

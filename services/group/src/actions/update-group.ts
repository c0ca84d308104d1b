import { groupRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";

export function updateGroup({ node, groups, announcer }: GroupDependencies): Handler<"group.update"> {
  return async ({ params: { groupId, name } }) => {
    const renamed = await groups.rename(groupId, name);
    if (renamed === null) throw serviceError("GROUP_NOT_FOUND");
    const group = presentGroup(renamed);
    node.publish(groupRoom(groupId), "group.updated", { group });
    announcer.told(groupId, group.memberCount);
    return { group };
  };
}

import { groupRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";

export function updateGroup({ node, groups, announcer }: GroupDependencies): Handler<"group.update"> {
  return async ({ params: { groupId, ...changes } }) => {
    const updated = (await groups.update(groupId, changes)) && (await groups.find(groupId));
    if (updated === null) throw serviceError("GROUP_NOT_FOUND");
    const group = presentGroup(updated);
    node.publish(groupRoom(groupId), "group.updated", { group });
    announcer.told(groupId, group.memberCount);
    return { group };
  };
}

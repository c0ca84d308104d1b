import { groupRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

export function deleteGroup(dependencies: GroupDependencies): Handler<"group.delete"> {
  const { node, groups, membership, purge } = dependencies;
  return async ({ params: { groupId }, actor }) => {
    if (!(await groups.markDeleted(groupId, actor.userId))) throw serviceError("GROUP_NOT_FOUND");
    membership.forget(groupId, null);
    const room = groupRoom(groupId);
    node.publish(room, "group.deleted", { groupId });
    node.fanout.socketsLeave(room, [room]);
    purge.group(groupId);
    return {};
  };
}

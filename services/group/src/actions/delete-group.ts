import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

export function deleteGroup(dependencies: GroupDependencies): Handler<"group.delete"> {
  const { groups, purge } = dependencies;
  return async ({ params: { groupId }, actor }) => {
    if (!(await groups.markDeleted(groupId, actor.userId))) throw serviceError("GROUP_NOT_FOUND");
    purge.group(groupId);
    return {};
  };
}

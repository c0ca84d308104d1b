import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";

export function getGroup({ groups, memberCounts }: GroupDependencies): Handler<"group.get"> {
  return async ({ params }) => {
    const group = await groups.find(params.groupId);
    if (group === null) throw serviceError("GROUP_NOT_FOUND");
    memberCounts.checkOnce(params.groupId);
    return { group: presentGroup(group) };
  };
}

export function listMyGroups({ groups, members }: GroupDependencies): Handler<"group.listMine"> {
  return async ({ actor }) => {
    const found = await groups.findMany(await members.listGroupIds(actor.userId));
    return { groups: found.map(presentGroup) };
  };
}

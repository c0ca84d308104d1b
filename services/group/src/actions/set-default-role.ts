import { groupRoom, PERMISSIONS, changedBits, mayGrant } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { needActor } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { defaultPermissionsOf, presentGroup } from "../group.presenter.ts";

/** That members see the group is not up to anybody: a channel is hidden, not the group. */
export function setDefaultRole(dependencies: GroupDependencies): Handler<"role.setDefault"> {
  const { node, groups, membership, audit, announcer } = dependencies;
  return async ({ params, actor: { userId } }) => {
    const { groupId } = params;
    const actor = await needActor(dependencies, groupId, userId);
    const before = defaultPermissionsOf(actor.group);
    const permissions = params.permissions | PERMISSIONS.view;
    if (!mayGrant(actor.permissions, changedBits(before, permissions))) throw serviceError("FORBIDDEN");
    const updated = await groups.update(groupId, { defaultPermissions: permissions });
    if (updated === null) throw serviceError("GROUP_NOT_FOUND");
    membership.forget(groupId, null);
    await audit(groupId, userId, "role.setDefault", {
      before: { permissions: before },
      after: { permissions },
    });
    const group = presentGroup(updated);
    node.publish(groupRoom(groupId), "group.updated", { group });
    announcer.told(groupId, group.memberCount);
    return { group };
  };
}

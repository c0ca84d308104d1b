import { groupRoom, LIMITS, type Role, changedBits, isReorderAllowed, mayGrant } from "@fanfare/contract";
import { newId, serviceError, type Handler } from "@fanfare/kernel";
import { difference } from "../audit.ts";
import { needActor, needPermissionsOfRole, needTouchableRole, rankOf } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentRole } from "../group.presenter.ts";
import type { RoleDocument } from "../role.repository.ts";

const AUDITED = ["name", "color", "permissions", "mentionable"] as const satisfies (keyof Role)[];

export function listRoles({ roles }: GroupDependencies): Handler<"role.list"> {
  return async ({ params }) => ({ roles: (await roles.listOfGroup(params.groupId)).map(presentRole) });
}

export function createRole(dependencies: GroupDependencies): Handler<"role.create"> {
  const { node, groups, roles, audit } = dependencies;
  return async ({ params: { groupId, ...given }, actor: { userId } }) => {
    const actor = await needActor(dependencies, groupId, userId);
    if (!mayGrant(actor.permissions, given.permissions)) throw serviceError("FORBIDDEN");
    const existing = await roles.listOfGroup(groupId);
    const max = LIMITS.rolesPerGroup;
    if (existing.length >= max) throw serviceError("LIMIT_REACHED", { limit: "rolesPerGroup", max });
    const created: RoleDocument = {
      _id: newId(),
      groupId,
      ...given,
      position: (existing[0]?.position ?? 1) - 1,
      createdAt: new Date(),
    };
    await roles.insert(created);
    // Looked up afterwards, so that a group that is being deleted keeps no role behind.
    if ((await groups.find(groupId)) === null) {
      await roles.remove(created._id);
      throw serviceError("GROUP_NOT_FOUND");
    }
    const role = presentRole(created);
    await audit(groupId, userId, "role.create", {
      targetId: role.id,
      after: { name: role.name, permissions: role.permissions },
    });
    node.publish(groupRoom(groupId), "role.created", { role });
    return { role };
  };
}

export function updateRole(dependencies: GroupDependencies): Handler<"role.update"> {
  const { node, roles, membership, audit } = dependencies;
  return async ({ params: { groupId, roleId, ...changes }, actor: { userId } }) => {
    const actor = await needActor(dependencies, groupId, userId);
    const before = presentRole(await needTouchableRole(dependencies, actor, groupId, roleId));
    const bits = changedBits(before.permissions, changes.permissions ?? before.permissions);
    if (!mayGrant(actor.permissions, bits)) throw serviceError("FORBIDDEN");
    const updated = await roles.update(groupId, roleId, changes);
    if (updated === null) throw serviceError("ROLE_NOT_FOUND");
    if (bits !== 0) membership.forget(groupId, null);
    const role = presentRole(updated);
    const changed = difference(before, role, AUDITED);
    if (changed === null) return { role };
    await audit(groupId, userId, "role.update", { targetId: roleId, ...changed });
    node.publish(groupRoom(groupId), "role.updated", { role });
    return { role };
  };
}

export function deleteRole(dependencies: GroupDependencies): Handler<"role.delete"> {
  const { roles, purge, audit } = dependencies;
  return async ({ params: { groupId, roleId }, actor: { userId } }) => {
    const actor = await needActor(dependencies, groupId, userId);
    const role = await needTouchableRole(dependencies, actor, groupId, roleId);
    await needPermissionsOfRole(dependencies, actor, groupId, role);
    const { name, permissions } = role;
    if (!(await roles.markDeleted(groupId, roleId))) throw serviceError("ROLE_NOT_FOUND");
    await purge.role(groupId, roleId);
    await audit(groupId, userId, "role.delete", { targetId: roleId, before: { name, permissions } });
    return {};
  };
}

export function reorderRoles(dependencies: GroupDependencies): Handler<"role.reorder"> {
  const { node, roles, membership, audit } = dependencies;
  return async ({ params: { groupId, roleIds }, actor: { userId } }) => {
    const actor = await needActor(dependencies, groupId, userId);
    const before = await roles.listOfGroup(groupId);
    const known = new Set(before.map(({ _id }) => _id));
    if (roleIds.length !== known.size || !known.isSubsetOf(new Set(roleIds))) {
      throw serviceError("ROLE_NOT_FOUND");
    }
    if (!isReorderAllowed(actor.subject, before.map(rankOf), roleIds)) throw serviceError("FORBIDDEN");
    const positions = roleIds.map((roleId, position) => ({ roleId, position }));
    await roles.setPositions(groupId, positions);
    membership.forget(groupId, null);
    await audit(groupId, userId, "role.reorder", {
      before: { roleIds: before.map(({ _id }) => _id) },
      after: { roleIds },
    });
    node.publish(groupRoom(groupId), "role.reordered", { groupId, positions });
    return { roles: (await roles.listOfGroup(groupId)).map(presentRole) };
  };
}

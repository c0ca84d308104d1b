import {
  changedBits,
  groupRoom,
  isReorderAllowed,
  LIMITS,
  canGrant,
  PERMISSIONS,
  type Role,
} from "@fanfare/contract";
import { assertBelow, type Handlers, limitReached, orThrow, newId, serviceError } from "@fanfare/kernel";
import { difference } from "./audit.ts";
import {
  type LoadedMember,
  loadMember,
  rankOf,
  requireActor,
  requireManageable,
  requireManageableRole,
  requireMember,
  requirePermissionsOfRole,
} from "../subjects.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import {
  defaultPermissionsOf,
  presentGroup,
  presentMember,
  presentRole,
  roleIdsOf,
} from "../group.presenter.ts";
import type { RoleDocument } from "./role.repository.ts";

const AUDITED = ["name", "color", "permissions", "mentionable"] as const satisfies (keyof Role)[];

/** Sockets are moved again when the roles of the member change in the meantime. */
const MAX_ROUNDS = 5;
type Change = { groupId: string; userId: string; roleId: string };

export function roleActions(dependencies: GroupDependencies): Handlers {
  const { roles, node, groups, audit, membership, purge, announcer, members } = dependencies;
  return {
    "role.list": async ({ params }) => ({
      roles: (await roles.listOfGroup(params.groupId)).map(presentRole),
    }),

    "role.create": async ({ params: { groupId, ...given }, actor: { userId } }) => {
      const actor = await requireActor(dependencies, groupId, userId);
      if (!canGrant(actor.permissions, given.permissions)) throw serviceError("FORBIDDEN");
      const existing = await roles.listOfGroup(groupId);
      assertBelow("rolesPerGroup", existing.length);
      const created: RoleDocument = {
        _id: newId(),
        groupId,
        ...given,
        position: (existing[0]?.position ?? 1) - 1,
        createdAt: new Date(),
      };
      await roles.insert(created);
      // Checked after the insert, so that a group being deleted doesn't leave a role behind.
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
    },

    "role.update": async ({ params: { groupId, roleId, ...changes }, actor: { userId } }) => {
      const actor = await requireActor(dependencies, groupId, userId);
      const before = presentRole(await requireManageableRole(dependencies, actor, groupId, roleId));
      const bits = changedBits(before.permissions, changes.permissions ?? before.permissions);
      if (!canGrant(actor.permissions, bits)) throw serviceError("FORBIDDEN");
      const updated = orThrow(await roles.update(groupId, roleId, changes), "ROLE_NOT_FOUND");
      if (bits !== 0) membership.forget(groupId, null);
      const role = presentRole(updated);
      const changed = difference(before, role, AUDITED);
      if (changed === null) return { role };
      await audit(groupId, userId, "role.update", { targetId: roleId, ...changed });
      node.publish(groupRoom(groupId), "role.updated", { role });
      return { role };
    },

    "role.delete": async ({ params: { groupId, roleId }, actor: { userId } }) => {
      const actor = await requireActor(dependencies, groupId, userId);
      const role = await requireManageableRole(dependencies, actor, groupId, roleId);
      await requirePermissionsOfRole(dependencies, actor, groupId, role);
      const { name, permissions } = role;
      if (!(await roles.markDeleted(groupId, roleId))) throw serviceError("ROLE_NOT_FOUND");
      await purge.role(groupId, roleId);
      await audit(groupId, userId, "role.delete", { targetId: roleId, before: { name, permissions } });
      return {};
    },

    "role.reorder": async ({ params: { groupId, roleIds }, actor: { userId } }) => {
      const actor = await requireActor(dependencies, groupId, userId);
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
    },

    /** Always includes `view`: channels can be hidden, the group itself cannot. */
    "role.setDefault": async ({ params, actor: { userId } }) => {
      const { groupId } = params;
      const actor = await requireActor(dependencies, groupId, userId);
      const before = defaultPermissionsOf(actor.group);
      const permissions = params.permissions | PERMISSIONS.view;
      if (!canGrant(actor.permissions, changedBits(before, permissions))) throw serviceError("FORBIDDEN");
      const updated = await groups.update(groupId, { defaultPermissions: permissions });
      if (updated === null) throw serviceError("GROUP_NOT_FOUND");
      membership.forget(groupId, null);
      await audit(groupId, userId, "role.setDefault", {
        before: { permissions: before },
        after: { permissions },
      });
      return announcer.updated(presentGroup(updated));
    },

    "role.assign": async ({ params, actor }) => {
      const { groupId, userId, roleId } = params;
      const target = await requireRights(dependencies, params, actor.userId);
      if (roleIdsOf(target.member).includes(roleId)) return { member: presentMember(target.member) };
      if ((await members.addRole(groupId, userId, roleId, LIMITS.rolesPerMember)) === null) {
        if (!(await members.exists(groupId, userId))) throw serviceError("MEMBER_NOT_FOUND");
        throw limitReached("rolesPerMember");
      }
      // The role may have been deleted in the meantime; its removal from members may not have seen this one.
      if ((await dependencies.roles.find(groupId, roleId)) === null) {
        await members.removeRole(groupId, userId, roleId);
        throw serviceError("ROLE_NOT_FOUND");
      }
      return { member: await settle(dependencies, params, target, actor.userId, "role.assign") };
    },

    "role.unassign": async ({ params, actor }) => {
      const { groupId, userId, roleId } = params;
      const target = await requireRights(dependencies, params, actor.userId);
      if (!roleIdsOf(target.member).includes(roleId)) return { member: presentMember(target.member) };
      if ((await members.removeRole(groupId, userId, roleId)) === null)
        throw serviceError("MEMBER_NOT_FOUND");
      return { member: await settle(dependencies, params, target, actor.userId, "role.unassign") };
    },
  };
}

async function requireRights(
  dependencies: GroupDependencies,
  { groupId, userId, roleId }: Change,
  actorId: string,
): Promise<LoadedMember> {
  const { actor, target } = await requireManageable(dependencies, { groupId, userId }, actorId);
  const role = await requireManageableRole(dependencies, actor, groupId, roleId);
  await requirePermissionsOfRole(dependencies, actor, groupId, role);
  return target;
}

/** Moves the sockets after the roles are stored, and again while they change in the meantime. */
async function settle(
  dependencies: GroupDependencies,
  { groupId, userId, roleId }: Change,
  before: LoadedMember,
  actorId: string,
  action: "role.assign" | "role.unassign",
) {
  const { node, membership, audit } = dependencies;
  membership.forget(groupId, userId);
  let known = before;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const now = await requireMember(dependencies, groupId, userId);
    await membership.settleRoles(groupId, known.subject, now.subject);
    const after = await loadMember(dependencies, groupId, userId);
    // A kick removes the sockets from all rooms, but that may have happened before they were moved here.
    if (after === null) {
      await membership.settleRooms(groupId, userId, false);
      throw serviceError("MEMBER_NOT_FOUND");
    }
    known = after;
    if (String(roleIdsOf(after.member)) === String(roleIdsOf(now.member))) break;
  }
  await audit(groupId, actorId, action, { targetId: userId, after: { roleId } });
  const member = presentMember(known.member);
  node.publish(groupRoom(groupId), "member.updated", { member });
  return member;
}

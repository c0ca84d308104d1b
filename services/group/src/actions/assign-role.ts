import { groupRoom, LIMITS } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { needPermissionsOfRole, needTouchable, needTouchableRole } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentMember, roleIdsOf } from "../group.presenter.ts";
import { loadMember, needMember, type LoadedMember } from "../subjects.ts";

/** Each further round answers another change of the same member that came in between. */
const MAX_ROUNDS = 5;
type Change = { groupId: string; userId: string; roleId: string };

export function assignRole(dependencies: GroupDependencies): Handler<"role.assign"> {
  const { members } = dependencies;
  return async ({ params, actor }) => {
    const { groupId, userId, roleId } = params;
    const target = await needRights(dependencies, params, actor.userId);
    if (roleIdsOf(target.member).includes(roleId)) return { member: presentMember(target.member) };
    const max = LIMITS.rolesPerMember;
    if ((await members.addRole(groupId, userId, roleId, max)) === null) {
      if (!(await members.exists(groupId, userId))) throw serviceError("MEMBER_NOT_FOUND");
      throw serviceError("LIMIT_REACHED", { limit: "rolesPerMember", max });
    }
    // It may have been deleted in between, and then nobody else takes it from the member.
    if ((await dependencies.roles.find(groupId, roleId)) === null) {
      await members.removeRole(groupId, userId, roleId);
      throw serviceError("ROLE_NOT_FOUND");
    }
    return { member: await settle(dependencies, params, target, actor.userId, "role.assign") };
  };
}

export function unassignRole(dependencies: GroupDependencies): Handler<"role.unassign"> {
  const { members } = dependencies;
  return async ({ params, actor }) => {
    const { groupId, userId, roleId } = params;
    const target = await needRights(dependencies, params, actor.userId);
    if (!roleIdsOf(target.member).includes(roleId)) return { member: presentMember(target.member) };
    if ((await members.removeRole(groupId, userId, roleId)) === null) throw serviceError("MEMBER_NOT_FOUND");
    return { member: await settle(dependencies, params, target, actor.userId, "role.unassign") };
  };
}

async function needRights(
  dependencies: GroupDependencies,
  { groupId, userId, roleId }: Change,
  actorId: string,
): Promise<LoadedMember> {
  const { actor, target } = await needTouchable(dependencies, { groupId, userId }, actorId);
  const role = await needTouchableRole(dependencies, actor, groupId, roleId);
  await needPermissionsOfRole(dependencies, actor, groupId, role);
  return target;
}

/** The roles are stored; sockets follow, until nobody has changed the roles again in between. */
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
    const now = await needMember(dependencies, groupId, userId);
    await membership.settleRoles(groupId, known.subject, now.subject);
    const after = await loadMember(dependencies, groupId, userId);
    // Whoever puts a member out takes the sockets out of all rooms, but may have done so before these were moved.
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

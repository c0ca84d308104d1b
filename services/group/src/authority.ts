import { orThrow, serviceError } from "@fanfare/kernel";
import {
  channelPermissions,
  canGrant,
  canManageMember,
  canManageRole,
  type RankedRole,
} from "@fanfare/contract";
import type { GroupRepositories } from "./group.dependencies.ts";
import { presentOverrides } from "./group.presenter.ts";
import type { RoleDocument } from "./group/role.repository.ts";
import { type LoadedMember, loadMember, requireMember } from "./subjects.ts";

type Repositories = Pick<GroupRepositories, "groups" | "members" | "roles">;

/** @throws {ServiceError} GROUP_NOT_FOUND when the actor was removed after the permission check */
export async function requireActor(
  repositories: Repositories,
  groupId: string,
  actorId: string,
): Promise<LoadedMember> {
  return orThrow(await loadMember(repositories, groupId, actorId), "GROUP_NOT_FOUND");
}

/**
 * @returns the target, or null when it is not a member
 * @throws {ServiceError} GROUP_NOT_FOUND; FORBIDDEN when the target is the actor or the owner, or has a role at or above the
 *   actor's highest
 */
export async function requireManageableOrAbsent(
  repositories: Repositories,
  { groupId, userId }: { groupId: string; userId: string },
  actorId: string,
): Promise<LoadedMember | null> {
  const [actor, target] = await Promise.all([
    requireActor(repositories, groupId, actorId),
    loadMember(repositories, groupId, userId),
  ]);
  const isSelf = userId === actorId;
  if (isSelf || (target !== null && !canManageMember(actor.subject, target.subject))) {
    throw serviceError("FORBIDDEN");
  }
  return target;
}

/**
 * @returns the actor and the target, which can be the same member
 * @throws {ServiceError} MEMBER_NOT_FOUND, FORBIDDEN
 */
export async function requireManageable(
  repositories: Repositories,
  { groupId, userId }: { groupId: string; userId: string },
  actorId: string,
): Promise<{ actor: LoadedMember; target: LoadedMember }> {
  const actor = await requireActor(repositories, groupId, actorId);
  if (userId === actorId) return { actor, target: actor };
  const target = await requireMember(repositories, groupId, userId);
  if (!canManageMember(actor.subject, target.subject)) throw serviceError("FORBIDDEN");
  return { actor, target };
}

/** @throws {ServiceError} ROLE_NOT_FOUND, FORBIDDEN for a role at or above the actor's highest */
export async function requireManageableRole(
  { roles }: Repositories,
  actor: LoadedMember,
  groupId: string,
  roleId: string,
): Promise<RoleDocument> {
  const role = orThrow(await roles.find(groupId, roleId), "ROLE_NOT_FOUND");
  if (!canManageRole(actor.subject, rankOf(role))) throw serviceError("FORBIDDEN");
  return role;
}

/**
 * To assign, unassign or delete a role, the actor needs every permission that it allows or denies, in the group and in each
 * channel with an override for the role. Otherwise they could give themselves access to a private channel.
 * @throws {ServiceError} FORBIDDEN
 */
export async function requirePermissionsOfRole(
  { overrides }: Pick<GroupRepositories, "overrides">,
  { subject, permissions }: LoadedMember,
  groupId: string,
  role: RoleDocument,
): Promise<void> {
  if (!canGrant(permissions, role.permissions)) throw serviceError("FORBIDDEN");
  for (const channel of await overrides.listWith(groupId, { type: "role", id: role._id })) {
    const all = presentOverrides(channel);
    const own = all.find(({ target }) => target.type === "role" && target.id === role._id);
    const bits = own === undefined ? 0 : own.allow | own.deny;
    if (!canGrant(channelPermissions(subject, permissions, all), bits)) throw serviceError("FORBIDDEN");
  }
}

export function rankOf({ _id, position }: RoleDocument): RankedRole {
  return { id: _id, position };
}

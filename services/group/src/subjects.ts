import {
  type Authority,
  canGrant,
  canManageMember,
  canManageRole,
  channelPermissions,
  groupPermissions,
  NO_PERMISSIONS,
  PERMISSIONS,
  type RankedRole,
  type Subject,
} from "@fanfare/contract";
import { orThrow, serviceError } from "@fanfare/kernel";
import type { ChannelDocument } from "./channel/channel.model.ts";
import type { GroupDependencies, GroupRepositories } from "./group.dependencies.ts";
import { defaultPermissionsOf, presentOverrides } from "./group.presenter.ts";
import type { GroupDocument } from "./group/group.repository.ts";
import type { MemberDocument } from "./group/member.repository.ts";
import type { RoleDocument } from "./group/role.repository.ts";

/** A member with everything that determines their permissions. */
export interface LoadedMember {
  group: GroupDocument;
  member: MemberDocument;
  subject: Subject & Authority;
  /** In the group, without channel overrides. */
  permissions: number;
}

type Repositories = Pick<GroupRepositories, "groups" | "members" | "roles">;

/** Three indexed queries, two without roles. @returns null when the user isn't a member or the group doesn't exist */
export async function loadMember(
  { groups, members, roles }: Repositories,
  groupId: string,
  userId: string,
): Promise<LoadedMember | null> {
  const [group, member] = await Promise.all([groups.find(groupId), members.find(groupId, userId)]);
  return group === null || member === null ? null : load(roles, group, member);
}

/** @throws {ServiceError} MEMBER_NOT_FOUND */
export async function requireMember(
  repositories: Repositories,
  groupId: string,
  userId: string,
): Promise<LoadedMember> {
  return orThrow(await loadMember(repositories, groupId, userId), "MEMBER_NOT_FOUND");
}

async function load(
  roles: Repositories["roles"],
  group: GroupDocument,
  member: MemberDocument,
): Promise<LoadedMember> {
  const roleIds = member.roleIds ?? [];
  const found = roleIds.length === 0 ? [] : await roles.findMany(roleIds);
  const userId = member.userId;
  const subject = {
    userId,
    isOwner: group.ownerId === userId,
    roles: found.map(({ _id, permissions, position }) => ({ id: _id, permissions, position })),
  };
  return { group, member, subject, permissions: groupPermissions(subject, defaultPermissionsOf(group)) };
}

/** A member's permissions in a channel of the group; 0 when they can't see it. */
export function permissionsIn(
  { subject, permissions }: LoadedMember,
  channel: Pick<ChannelDocument, "overrides">,
): number {
  return channelPermissions(subject, permissions, presentOverrides(channel));
}

/** Role permissions don't matter here, only overrides: all members can view channels by default. */
export function sees(subject: Subject, channel: Pick<ChannelDocument, "overrides">): boolean {
  if (channel.overrides === undefined) return true;
  return channelPermissions(subject, PERMISSIONS.view, presentOverrides(channel)) !== 0;
}

/** A user who has just joined. */
export function newcomer(userId: string): Subject {
  return { userId, isOwner: false, roles: [] };
}

interface Place {
  groupId: string;
  roleIds: string[];
}

/** The user's subject in a group, sufficient to check visibility but not other permissions. */
export function subjectOf(userId: string, { roleIds }: Place, isOwner: boolean): Subject {
  return { userId, isOwner, roles: roleIds.map((id) => ({ id, permissions: NO_PERMISSIONS })) };
}

/** The user's subject in each group, by group id. One indexed query. */
export async function ownSubjects(
  { groups }: Pick<GroupDependencies, "groups">,
  userId: string,
  places: readonly Place[],
): Promise<Map<string, Subject>> {
  if (places.length === 0) return new Map();
  const owned = new Set(await groups.listOwnedIds(userId));
  return new Map(places.map((place) => [place.groupId, subjectOf(userId, place, owned.has(place.groupId))]));
}

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

import {
  type Authority,
  channelPermissions,
  groupPermissions,
  NO_PERMISSIONS,
  PERMISSIONS,
  type Subject,
} from "@fanfare/contract";
import { orThrow } from "@fanfare/kernel";
import type { ChannelDocument } from "./channel/channel.model.ts";
import type { GroupDependencies, GroupRepositories } from "./group.dependencies.ts";
import { defaultPermissionsOf, presentOverrides } from "./group.presenter.ts";
import type { GroupDocument } from "./group/group.repository.ts";
import type { MemberDocument } from "./group/member.repository.ts";

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

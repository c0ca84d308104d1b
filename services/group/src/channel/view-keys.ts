import { hidesFromSome, type Override, type Subject, viewers } from "@fanfare/contract";

/** Kept with a private channel (`viewKeys`), so that its viewers find it by an index: see channel.model.ts. */
export const viewKey = {
  member: (userId: string): string => `u:${userId}`,
  role: (roleId: string): string => `r:${roleId}`,
  owner: (groupId: string): string => `o:${groupId}`,
  group: (groupId: string): string => `g:${groupId}`,
};

/** undefined: the channel needs none, because all members can see it. */
export function viewKeysOf(groupId: string, overrides: readonly Override[]): string[] | undefined {
  if (!hidesFromSome(overrides)) return undefined;
  const { everyone, memberIds, roleIds } = viewers(overrides);
  return [
    viewKey.owner(groupId),
    ...(everyone ? [viewKey.group(groupId)] : []),
    ...memberIds.map(viewKey.member),
    ...roleIds.map(viewKey.role),
  ];
}

/** For the time in which the sockets of a channel that is private no longer are still in its room. */
export function viewKeysOfAll(groupId: string): string[] {
  return [viewKey.owner(groupId), viewKey.group(groupId)];
}

/** What a member's private channels of a group are found by: not all that are found are theirs to see. */
export function keysOfSubject(groupId: string, { userId, isOwner, roles }: Subject): string[] {
  return [
    viewKey.member(userId),
    viewKey.group(groupId),
    ...(isOwner ? [viewKey.owner(groupId)] : []),
    ...roles.map(({ id }) => viewKey.role(id)),
  ];
}

import { hidesFromSome, type Override, type Subject, viewers } from "@fanfare/contract";

/** Stored in private channels (`viewKeys`), so that viewers find them by index: see channel.model.ts. */
export const viewKey = {
  member: (userId: string): string => `u:${userId}`,
  role: (roleId: string): string => `r:${roleId}`,
  owner: (groupId: string): string => `o:${groupId}`,
  group: (groupId: string): string => `g:${groupId}`,
};

/** @returns undefined when all members can see the channel, which needs no keys then */
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

/** Used while the sockets of a channel that became public are still in its room. */
export function viewKeysOfAll(groupId: string): string[] {
  return [viewKey.owner(groupId), viewKey.group(groupId)];
}

/** Keys to query a member's private channels. Some of the results can still be invisible to the member. */
export function keysOfSubject(groupId: string, { userId, isOwner, roles }: Subject): string[] {
  return [
    viewKey.member(userId),
    viewKey.group(groupId),
    ...(isOwner ? [viewKey.owner(groupId)] : []),
    ...roles.map(({ id }) => viewKey.role(id)),
  ];
}

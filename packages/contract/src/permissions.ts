/** What a member may do in a group or channel, as bits, so that a set of them is one number. */
export const PERMISSIONS = {
  /** See the group and its channels, and read messages. */
  view: 1 << 0,
  sendMessages: 1 << 1,
  /** Delete other people's messages. */
  manageMessages: 1 << 2,
  createInvites: 1 << 3,
  /** List and revoke everybody's invites. */
  manageInvites: 1 << 4,
  manageChannels: 1 << 5,
  muteMembers: 1 << 6,
  kickMembers: 1 << 7,
  banMembers: 1 << 8,
  /** Rename the group and change its settings. */
  manageGroup: 1 << 9,
  /** Delete the group or give it to somebody else. */
  ownGroup: 1 << 10,
} as const;

export type PermissionName = keyof typeof PERMISSIONS;

export const NO_PERMISSIONS = 0;
export const MEMBER_PERMISSIONS = PERMISSIONS.view | PERMISSIONS.sendMessages | PERMISSIONS.createInvites;
export const OWNER_PERMISSIONS = Object.values(PERMISSIONS).reduce((all, bit) => all | bit, 0);
export const DIRECT_PERMISSIONS = PERMISSIONS.view | PERMISSIONS.sendMessages;

export function hasPermission(permissions: number, name: PermissionName): boolean {
  return (permissions & PERMISSIONS[name]) !== 0;
}

/**
 * Who may call an action. Every action has one; an action without one neither compiles nor starts.
 *
 * - `public`: anyone, without a token.
 * - `session`: whoever is logged in, guests included, acting on what is their own.
 * - `account`: whoever is logged in and not a guest.
 * - `group`: members of `params.groupId` that have the permission there.
 * - `channel`: those who have the permission in `params.channelId`.
 * - `internal`: other services only; never reachable from outside.
 */
export type PermissionRule =
  | { rule: "public" }
  | { rule: "session" }
  | { rule: "account" }
  | { rule: "group"; can: PermissionName }
  | { rule: "channel"; can: PermissionName }
  | { rule: "internal" };

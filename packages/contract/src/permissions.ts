/** What a member can do in a group or channel: one bit each, so that a set of permissions is one number. */
export const PERMISSIONS = {
  /** See the group and its channels, and read messages. */
  view: 1 << 0,
  sendMessages: 1 << 1,
  /** Delete other people's messages. */
  manageMessages: 1 << 2,
  createInvites: 1 << 3,
  /** List and revoke all invites. */
  manageInvites: 1 << 4,
  manageChannels: 1 << 5,
  muteMembers: 1 << 6,
  kickMembers: 1 << 7,
  banMembers: 1 << 8,
  /** Rename the group and change its settings. */
  manageGroup: 1 << 9,
  /** Delete the group or transfer it. */
  ownGroup: 1 << 10,
  attachFiles: 1 << 11,
  addReactions: 1 << 12,
  /** Mention everyone, or a role that is not mentionable. */
  mentionEveryone: 1 << 13,
  /** Create, change and assign roles below one's own highest role, and change the permissions of a channel. */
  manageRoles: 1 << 14,
  /** Manage bots and integrations. */
  manageWebhooks: 1 << 15,
  viewAuditLog: 1 << 16,
} as const;

export type PermissionName = keyof typeof PERMISSIONS;

export const NO_PERMISSIONS = 0;
/** What both users of a direct message can do. */
export const DIRECT_PERMISSIONS =
  PERMISSIONS.view | PERMISSIONS.sendMessages | PERMISSIONS.attachFiles | PERMISSIONS.addReactions;
/** The default role of a new group, which every member has. */
export const MEMBER_PERMISSIONS = DIRECT_PERMISSIONS | PERMISSIONS.createInvites;
export const OWNER_PERMISSIONS = Object.values(PERMISSIONS).reduce((all, bit) => all | bit, 0);
/** What a role can have: all but ownership. */
export const GRANTABLE_PERMISSIONS = OWNER_PERMISSIONS & ~PERMISSIONS.ownGroup;
/** What an override of a channel can allow or deny. */
export const CHANNEL_PERMISSIONS =
  DIRECT_PERMISSIONS |
  PERMISSIONS.manageMessages |
  PERMISSIONS.manageChannels |
  PERMISSIONS.mentionEveryone |
  PERMISSIONS.manageRoles |
  PERMISSIONS.manageWebhooks;

export function hasPermission(permissions: number, name: PermissionName): boolean {
  return (permissions & PERMISSIONS[name]) !== 0;
}

/**
 * Who can call an action. Every action has one; an action without one neither compiles nor starts.
 *
 * - `public`: anyone, without a token.
 * - `session`: any signed-in user, guests included, for their own data.
 * - `account`: any signed-in user who is not a guest.
 * - `group`: members of `params.groupId` with the permission.
 * - `channel`: users with the permission in `params.channelId`.
 * - `admin`: admins of the instance; they read other people's groups and messages only through `admin.startGroupExport`.
 * - `internal`: other services only; never reachable from outside.
 */
export type PermissionRule =
  | { rule: "public" }
  | { rule: "session" }
  | { rule: "account" }
  | { rule: "group"; can: PermissionName }
  | { rule: "channel"; can: PermissionName }
  | { rule: "admin" }
  | { rule: "internal" };

import type { Override } from "./entities.ts";

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
  /** Stop members from writing in the group, and from speaking in calls. */
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
  /** Add, rename and delete the group's own emoji, stickers and GIFs. */
  manageEmoji: 1 << 17,
  /** Change one's own nickname and picture in the group. */
  changeNickname: 1 << 18,
  /** Change the nicknames of members below one's own highest role, and remove their pictures. */
  manageNicknames: 1 << 19,
  /** Join calls and voice channels. */
  connect: 1 << 20,
  speak: 1 << 21,
  video: 1 << 22,
  shareScreen: 1 << 23,
  /** Move members to another voice channel, and remove them from calls. */
  moveMembers: 1 << 24,
} as const;

export type PermissionName = keyof typeof PERMISSIONS;

export const NO_PERMISSIONS = 0;
/** What members can do in calls. */
export const CALL_PERMISSIONS =
  PERMISSIONS.connect | PERMISSIONS.speak | PERMISSIONS.video | PERMISSIONS.shareScreen;
/** What both users of a direct message can do. */
export const DIRECT_PERMISSIONS =
  PERMISSIONS.view |
  PERMISSIONS.sendMessages |
  PERMISSIONS.attachFiles |
  PERMISSIONS.addReactions |
  CALL_PERMISSIONS;
/** The default role of a new group, which every member has. */
export const MEMBER_PERMISSIONS = DIRECT_PERMISSIONS | PERMISSIONS.createInvites | PERMISSIONS.changeNickname;
export const OWNER_PERMISSIONS = Object.values(PERMISSIONS).reduce((all, bit) => all | bit, 0);
/** What a role can have: all but ownership. */
export const GRANTABLE_PERMISSIONS = OWNER_PERMISSIONS & ~PERMISSIONS.ownGroup;
/** What an override of a channel can allow or deny. */
export const CHANNEL_PERMISSIONS =
  DIRECT_PERMISSIONS |
  PERMISSIONS.manageMessages |
  PERMISSIONS.manageChannels |
  PERMISSIONS.mentionEveryone |
  PERMISSIONS.muteMembers |
  PERMISSIONS.moveMembers |
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
 * - `admin`: admins of the instance; they read other people's groups and messages only through `admin.startGroupExport`, and
 *   messages in direct channels that a participant has reported.
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

/** A member of a group. */
export interface Subject {
  userId: string;
  isOwner: boolean;
  roles: readonly { id: string; permissions: number }[];
}

/**
 * The permissions of a member in the group as a whole: the default role and the member's roles add up; the owner has all. Every
 * member sees the group, and only the owner owns it, even if a stored role says otherwise.
 */
export function groupPermissions({ isOwner, roles }: Subject, defaultPermissions: number): number {
  if (isOwner) return OWNER_PERMISSIONS;
  const given = roles.reduce((all, { permissions }) => all | permissions, defaultPermissions);
  return (given & GRANTABLE_PERMISSIONS) | PERMISSIONS.view;
}

/**
 * The permissions of a member in a channel. The overrides are applied from the general to the particular: that for everyone, those
 * for the member's roles together, the member's own. Each step denies before it allows.
 * @param ofGroup the result of `groupPermissions` for the same member
 * @returns 0 for a member who cannot see the channel
 */
export function channelPermissions(
  subject: Subject,
  ofGroup: number,
  overrides: readonly Override[],
): number {
  if (subject.isOwner) return OWNER_PERMISSIONS;
  const roleIds = new Set(subject.roles.map(({ id }) => id));
  const steps = [
    overrides.filter(({ target }) => target.type === "everyone"),
    overrides.filter(({ target }) => target.type === "role" && roleIds.has(target.id)),
    overrides.filter(({ target }) => target.type === "member" && target.id === subject.userId),
  ];
  const permissions = steps.reduce(applyStep, ofGroup);
  return (permissions & PERMISSIONS.view) === 0 ? 0 : permissions;
}

/** If one role allows and another denies, allow wins, in any order. */
function applyStep(permissions: number, step: readonly Override[]): number {
  const deny = step.reduce((all, override) => all | override.deny, 0);
  const allow = step.reduce((all, override) => all | override.allow, 0);
  return (permissions & ~deny) | allow;
}

/**
 * The members who see a channel, as sets that rooms stand for, without naming the members of a role: those in `memberIds`, and those
 * with one of `roleIds` who are not in `exceptMemberIds`; where `everyone`, also those without any of `exceptRoleIds` who are not in
 * `exceptMemberIds`. The owner of the group always sees it and is not mentioned.
 */
export interface Viewers {
  everyone: boolean;
  memberIds: string[];
  roleIds: string[];
  exceptMemberIds: string[];
  exceptRoleIds: string[];
}

/** Whether the channel can be hidden from some members, and so needs its own room. */
export function hidesFromSome(overrides: readonly Override[]): boolean {
  return overrides.some(({ deny }) => hasPermission(deny, "view"));
}

export function viewers(overrides: readonly Override[]): Viewers {
  const idsOf = (type: "member" | "role", which: "allow" | "deny"): string[] =>
    overrides.flatMap(({ target, ...bits }) =>
      target.type === type && hasPermission(bits[which], "view") ? [target.id] : [],
    );
  const isHidden = ({ target, allow, deny }: Override): boolean =>
    target.type === "everyone" && hasPermission(deny, "view") && !hasPermission(allow, "view");
  return {
    everyone: !overrides.some(isHidden),
    memberIds: idsOf("member", "allow"),
    roleIds: idsOf("role", "allow"),
    exceptMemberIds: idsOf("member", "deny"),
    exceptRoleIds: idsOf("role", "deny"),
  };
}

/** A role in the order of a group: the higher position is the higher role, and of equal ones the greater id. */
export interface RankedRole {
  id: string;
  position: number;
}

/** A member who acts on roles or members, or is acted on. */
export interface Authority {
  userId: string;
  isOwner: boolean;
  roles: readonly RankedRole[];
}

/** The bits that differ. */
export function changedBits(before: number, after: number): number {
  return before ^ after;
}

/** Members can only grant and revoke permissions that they have. */
export function canGrant(actorPermissions: number, bits: number): boolean {
  return (bits & ~actorPermissions) === 0;
}

/** Only roles below one's own highest; the owner stands above all. A member without roles is below every role. */
export function canManageRole(actor: Authority, role: RankedRole): boolean {
  return actor.isOwner || actor.roles.some((own) => compareRoles(own, role) > 0);
}

/** Only members whose highest role is below one's own highest: not the owner, and not oneself. */
export function canManageMember(actor: Authority, target: Authority): boolean {
  if (target.isOwner || target.userId === actor.userId) return false;
  if (actor.isOwner) return true;
  return actor.roles.length > 0 && target.roles.every((role) => canManageRole(actor, role));
}

/**
 * Whether a member can put roles into a new order: roles that they cannot touch must stay where they are.
 * @param roles all roles of the group
 * @param order their ids, the lowest first
 */
export function isReorderAllowed(
  actor: Authority,
  roles: readonly RankedRole[],
  order: readonly string[],
): boolean {
  const untouchable = roles
    .toSorted(compareRoles)
    .map((role, index) => ({ role, index }))
    .filter(({ role }) => !canManageRole(actor, role));
  return untouchable.every(({ role, index }) => order[index] === role.id);
}

export function compareRoles(a: RankedRole, b: RankedRole): number {
  return a.position - b.position || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

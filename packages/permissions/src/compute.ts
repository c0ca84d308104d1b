import { GRANTABLE_PERMISSIONS, OWNER_PERMISSIONS, PERMISSIONS, type Override } from "@fanfare/contract";

/** A member of a group. */
export interface Subject {
  userId: string;
  isOwner: boolean;
  roles: readonly { id: string; permissions: number }[];
}

/**
 * What a member may in the group as a whole: the default role and the member's roles add up, the owner may everything.
 * Everybody sees the group; nobody but its owner owns it, whatever is stored with a role.
 */
export function groupPermissions({ isOwner, roles }: Subject, defaultPermissions: number): number {
  if (isOwner) return OWNER_PERMISSIONS;
  const given = roles.reduce((all, { permissions }) => all | permissions, defaultPermissions);
  return (given & GRANTABLE_PERMISSIONS) | PERMISSIONS.view;
}

/**
 * What a member may in a channel. The overrides are applied from the general to the particular, and each step takes away
 * before it gives: that for everyone, then those for the member's roles together, then the member's own.
 * @param ofGroup the result of `groupPermissions` for the same member
 * @returns 0 for somebody who may not see the channel
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

/** Of two roles of which one allows and the other denies, the one that allows wins: their order does not matter. */
function applyStep(permissions: number, step: readonly Override[]): number {
  const deny = step.reduce((all, override) => all | override.deny, 0);
  const allow = step.reduce((all, override) => all | override.allow, 0);
  return (permissions & ~deny) | allow;
}

/** A role in the order of a group: the higher position is the higher role, and of equal ones the greater id. */
export interface RankedRole {
  id: string;
  position: number;
}

/** Somebody who acts on roles or members, or is acted on. */
export interface Authority {
  userId: string;
  isOwner: boolean;
  roles: readonly RankedRole[];
}

/** The bits that differ. */
export function changedBits(before: number, after: number): number {
  return before ^ after;
}

/** Nobody gives or takes what he lacks. */
export function mayGrant(actorPermissions: number, bits: number): boolean {
  return (bits & ~actorPermissions) === 0;
}

/** Only roles below one's own highest; the owner stands above all. Who has no role is below every role. */
export function mayTouchRole(actor: Authority, role: RankedRole): boolean {
  return actor.isOwner || actor.roles.some((own) => compareRoles(own, role) > 0);
}

/** Nobody touches the owner, himself, or somebody whose highest role is not below his own. */
export function mayTouchMember(actor: Authority, target: Authority): boolean {
  if (target.isOwner || target.userId === actor.userId) return false;
  if (actor.isOwner) return true;
  return actor.roles.length > 0 && target.roles.every((role) => mayTouchRole(actor, role));
}

/**
 * Whether a member may put roles into a new order: those that he may not touch stay where they are.
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
    .filter(({ role }) => !mayTouchRole(actor, role));
  return untouchable.every(({ role, index }) => order[index] === role.id);
}

export function compareRoles(a: RankedRole, b: RankedRole): number {
  return a.position - b.position || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

import { DIRECT_PERMISSIONS, MEMBER_PERMISSIONS, NO_PERMISSIONS, OWNER_PERMISSIONS } from "@fanfare/contract";

/** What a user may do in a group. Whoever is not a member may nothing. */
export function groupPermissions(ownerId: string, userId: string, isMember: boolean): number {
  if (!isMember) return NO_PERMISSIONS;
  return ownerId === userId ? OWNER_PERMISSIONS : MEMBER_PERMISSIONS;
}

export function directPermissions(memberIds: readonly string[], userId: string): number {
  return memberIds.includes(userId) ? DIRECT_PERMISSIONS : NO_PERMISSIONS;
}

/** Nobody moderates the owner, and nobody themselves: one leaves a group, one is not kicked by oneself. */
export function mayModerate(actorId: string, targetId: string, ownerId: string): boolean {
  return targetId !== ownerId && targetId !== actorId;
}

export function mayTouchInvite(createdBy: string, userId: string, managesInvites: boolean): boolean {
  return managesInvites || createdBy === userId;
}

export interface InviteState {
  uses: number;
  maxUses: number | null;
  expiresAt: Date | null;
}

export function isInviteExpired({ expiresAt }: Pick<InviteState, "expiresAt">, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Neither expired nor used up. */
export function isInviteUsable(invite: InviteState, now: Date): boolean {
  return !isInviteExpired(invite, now) && (invite.maxUses === null || invite.uses < invite.maxUses);
}

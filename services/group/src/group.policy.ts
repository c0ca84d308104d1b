import { DIRECT_PERMISSIONS, NO_PERMISSIONS, type InstancePolicy } from "@fanfare/contract";
import { serviceError, type Actor } from "@fanfare/kernel";
import type { GroupRepository } from "./group/group.repository.ts";

/** @throws {ServiceError} GUEST_NOT_ALLOWED, GROUP_CREATION_RESTRICTED */
export function assertCanCreateGroups(
  { groupCreation }: Pick<InstancePolicy, "groupCreation">,
  { kind, admin }: Pick<Actor, "kind" | "admin">,
): void {
  if (groupCreation === "accounts" && kind === "guest") throw serviceError("GUEST_NOT_ALLOWED");
  if (groupCreation === "admins" && admin !== true) throw serviceError("GROUP_CREATION_RESTRICTED");
}

/** @throws {ServiceError} LIMIT_REACHED when the user owns as many groups as the policy allows */
export async function assertCanOwnMore(
  { groupsOwnedPerUser: max }: Pick<InstancePolicy, "groupsOwnedPerUser">,
  groups: Pick<GroupRepository, "listOwnedIds">,
  userId: string,
): Promise<void> {
  if (max !== null && (await groups.listOwnedIds(userId)).length >= max)
    throw serviceError("LIMIT_REACHED", { limit: "groupsOwnedPerUser", max });
}

export function directPermissions(memberIds: readonly string[], userId: string): number {
  return memberIds.includes(userId) ? DIRECT_PERMISSIONS : NO_PERMISSIONS;
}

export function canManageInvite(createdBy: string, userId: string, managesInvites: boolean): boolean {
  return managesInvites || createdBy === userId;
}

interface InviteState {
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

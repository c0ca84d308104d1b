import { serviceError } from "@fanfare/kernel";
import { mayModerate } from "../group.policy.ts";
import type { GroupRepository } from "../group.repository.ts";

/** @throws {ServiceError} FORBIDDEN against the owner or oneself, GROUP_NOT_FOUND */
export async function refuseProtected(
  groups: GroupRepository,
  { groupId, userId }: { groupId: string; userId: string },
  actorId: string,
): Promise<void> {
  const group = await groups.find(groupId);
  if (group === null) throw serviceError("GROUP_NOT_FOUND");
  if (!mayModerate(actorId, userId, group.ownerId.toHexString())) throw serviceError("FORBIDDEN");
}

import { NO_PERMISSIONS, type Subject } from "@fanfare/contract";
import type { GroupDependencies } from "./group.dependencies.ts";

export interface Place {
  groupId: string;
  roleIds: string[];
}

/** The user in a group: enough to know which channels are seen. */
export function subjectOf(userId: string, { roleIds }: Place, isOwner: boolean): Subject {
  return { userId, isOwner, roles: roleIds.map((id) => ({ id, permissions: NO_PERMISSIONS })) };
}

/** The user in each of these groups, by its id. One look-up by index. */
export async function ownSubjects(
  { groups }: Pick<GroupDependencies, "groups">,
  userId: string,
  places: readonly Place[],
): Promise<Map<string, Subject>> {
  if (places.length === 0) return new Map();
  const owned = new Set(await groups.listOwnedIds(userId));
  return new Map(places.map((place) => [place.groupId, subjectOf(userId, place, owned.has(place.groupId))]));
}

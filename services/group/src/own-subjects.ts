import { NO_PERMISSIONS } from "@fanfare/contract";
import type { Subject } from "@fanfare/permissions";
import type { GroupDependencies } from "./group.dependencies.ts";

export interface Place {
  groupId: string;
  roleIds: string[];
}

/** The user in each of these groups, by its id: enough to know which channels are seen. One look-up by index. */
export async function ownSubjects(
  { groups }: Pick<GroupDependencies, "groups">,
  userId: string,
  places: readonly Place[],
): Promise<Map<string, Subject>> {
  if (places.length === 0) return new Map();
  const owned = new Set(await groups.listOwnedIds(userId));
  return new Map(
    places.map(({ groupId, roleIds }): [string, Subject] => {
      const roles = roleIds.map((id) => ({ id, permissions: NO_PERMISSIONS }));
      return [groupId, { userId, isOwner: owned.has(groupId), roles }];
    }),
  );
}

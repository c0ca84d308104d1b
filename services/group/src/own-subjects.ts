import { NO_PERMISSIONS } from "@fanfare/contract";
import type { Subject } from "@fanfare/permissions";
import type { GroupDependencies } from "./group.dependencies.ts";

export interface OwnPlaces {
  places: readonly { groupId: string; roleIds: string[] }[];
  /** The user in each of the groups, by its id: enough to know which channels are seen. */
  subjects: ReadonlyMap<string, Subject>;
}

/** Two look-ups by index: they cost what the user has, whatever the groups have. */
export async function ownPlaces(
  { groups, members }: Pick<GroupDependencies, "groups" | "members">,
  userId: string,
): Promise<OwnPlaces> {
  const [places, ownedIds] = await Promise.all([members.listPlaces(userId), groups.listOwnedIds(userId)]);
  const owned = new Set(ownedIds);
  const subjects = new Map(
    places.map(({ groupId, roleIds }): [string, Subject] => {
      const roles = roleIds.map((id) => ({ id, permissions: NO_PERMISSIONS }));
      return [groupId, { userId, isOwner: owned.has(groupId), roles }];
    }),
  );
  return { places, subjects };
}

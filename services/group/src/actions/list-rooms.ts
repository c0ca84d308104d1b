import { groupRoom, NO_PERMISSIONS, roleRoom, userRoom } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { Subject } from "@fanfare/permissions";
import { ownRooms } from "../channel-rooms.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { sees } from "../subjects.ts";
import { keysOfSubject } from "../view-keys.ts";

/** Three look-ups by index: they cost what the user has, whatever the groups have. */
export function listRooms({ groups, members, overrides }: GroupDependencies): Handler<"group.listRooms"> {
  return async ({ params: { userId } }) => {
    const [places, ownedIds] = await Promise.all([members.listPlaces(userId), groups.listOwnedIds(userId)]);
    const owned = new Set(ownedIds);
    const subjects = new Map(
      places.map(({ groupId, roleIds }): [string, Subject] => {
        const roles = roleIds.map((id) => ({ id, permissions: NO_PERMISSIONS }));
        return [groupId, { userId, isOwner: owned.has(groupId), roles }];
      }),
    );
    const keys = [...subjects].flatMap(([groupId, subject]) => keysOfSubject(groupId, subject));
    const found = keys.length === 0 ? [] : await overrides.listByKeys(keys);
    const seen = found.filter((channel) => {
      const subject = subjects.get(channel.groupId!.toHexString());
      return subject !== undefined && sees(subject, channel);
    });
    return {
      rooms: [
        userRoom(userId),
        ...places.flatMap(({ groupId, roleIds }) => [groupRoom(groupId), ...roleIds.map(roleRoom)]),
        ...seen.flatMap(ownRooms),
      ],
    };
  };
}

import { groupRoom, roleRoom, userRoom } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import { ownRooms } from "../channel-rooms.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { ownPlaces } from "../own-subjects.ts";
import { sees } from "../subjects.ts";
import { keysOfSubject } from "../view-keys.ts";

/** Three look-ups by index: they cost what the user has, whatever the groups have. */
export function listRooms({ groups, members, overrides }: GroupDependencies): Handler<"group.listRooms"> {
  return async ({ params: { userId } }) => {
    const { places, subjects } = await ownPlaces({ groups, members }, userId);
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

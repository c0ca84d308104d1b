import { groupRoom, roleRoom, userRoom } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import { ownRooms } from "../channel-rooms.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { ownSubjects } from "../own-subjects.ts";
import { sees } from "../subjects.ts";
import { keysOfSubject } from "../view-keys.ts";

/**
 * One look-up by index, and two more where a group has private channels: they cost what the user has, whatever the
 * groups have.
 */
export function listRooms(dependencies: GroupDependencies): Handler<"group.listRooms"> {
  const { members, overrides, privateGroups } = dependencies;
  return async ({ params: { userId } }) => {
    const places = await members.listPlaces(userId);
    const having = await privateGroups.among(places.map(({ groupId }) => groupId));
    const subjects = await ownSubjects(
      dependencies,
      userId,
      places.filter(({ groupId }) => having.has(groupId)),
    );
    const keys = [...subjects].flatMap(([groupId, subject]) => keysOfSubject(groupId, subject));
    const found = keys.length === 0 ? [] : await overrides.listByKeys(keys);
    const seen = found.filter((channel) => {
      const subject = subjects.get(channel.groupId!);
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

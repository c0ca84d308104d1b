import { channelRoom, groupRoom, roleRoom, userRoom } from "@fanfare/contract";
import type { Handlers } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { ownSubjects, sees } from "../subjects.ts";
import { keysOfSubject, type ChannelDocument } from "./channel.model.ts";
import { isPrivate } from "../group.presenter.ts";

type InUse = Pick<ChannelDocument, "_id" | "groupId" | "roomRev">;
type Placed = InUse & Pick<ChannelDocument, "overrides" | "overridesRev" | "movingSince">;

export function roomActions(dependencies: GroupDependencies): Handlers {
  return {
    "group.listRooms": async ({ params: { userIds } }) => ({
      rooms: await Promise.all(userIds.map((userId) => roomsOf(userId, dependencies))),
    }),
  };
}

/** One indexed query, and two more when a group has private channels. The cost doesn't depend on the size of the groups. */
async function roomsOf(userId: string, dependencies: GroupDependencies): Promise<string[]> {
  const { members, overrides, privateGroups } = dependencies;
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
  return [
    userRoom(userId),
    ...places.flatMap(({ groupId, roleIds }) => [groupRoom(groupId), ...roleIds.map(roleRoom)]),
    ...seen.flatMap(ownRooms),
  ];
}

/** The room that receives a channel's events now. */
export function roomInUse({ _id, groupId, roomRev }: InUse): string {
  return roomRev === undefined ? groupRoom(groupId!) : channelRoom(_id, roomRev);
}

/** The room that will receive its events once all viewers have joined it. */
export function roomToBe(channel: Placed): string {
  return isPrivate(channel)
    ? channelRoom(channel._id, channel.overridesRev ?? 0)
    : groupRoom(channel.groupId!);
}

/** The rooms that a viewer of the channel joins in addition to the group's. */
export function ownRooms(channel: Placed): string[] {
  const rooms =
    channel.movingSince === undefined ? [roomInUse(channel)] : [roomInUse(channel), roomToBe(channel)];
  return rooms.filter((room) => room !== groupRoom(channel.groupId!));
}

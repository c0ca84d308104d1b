import {
  channelRoom,
  type EventName,
  type EventPayload,
  groupRoom,
  hasPermission,
  type PermissionName,
  roleRoom,
  userRoom,
} from "@fanfare/contract";
import type { Handlers, NodeContext } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { defaultPermissionsOf, isPrivate } from "../group.presenter.ts";
import { ownSubjects, sees } from "../subjects.ts";
import { type ChannelDocument, keysOfSubject } from "./channel.model.ts";

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

/** The cache is cleared when it exceeds this size. */
const MAX_GROUPS = 100_000;

export type PrivateGroups = ReturnType<typeof createPrivateGroups>;

/**
 * Caches which groups have any private channels: this saves two queries at nearly every login, and one at a join. It is invalidated
 * before the room of a group's first private channel is filled, so a login or join that still used the old value is covered by the
 * second pass of channel-moves.ts.
 * @param lookUp returns those of the groups that have a private channel
 */
export function createPrivateGroups(lookUp: (groupIds: readonly string[]) => Promise<ReadonlySet<string>>) {
  const known = new Map<string, boolean>();
  /** Counts invalidations: results of lookups that overlap with one aren't cached. */
  let epoch = 0;

  const forgetAll = (): void => {
    epoch += 1;
    known.clear();
  };

  return {
    /** @returns those of the groups that have a private channel, or had one when they were cached */
    async among(groupIds: readonly string[]): Promise<Set<string>> {
      const unknown = groupIds.filter((id) => !known.has(id));
      const among = new Set(groupIds.filter((id) => known.get(id) === true));
      if (unknown.length === 0) return among;
      const began = epoch;
      const found = await lookUp(unknown);
      for (const id of found) among.add(id);
      if (epoch !== began) return among;
      if (known.size + unknown.length > MAX_GROUPS) known.clear();
      for (const id of unknown) known.set(id, found.has(id));
      return among;
    },

    forget(groupId: string): void {
      epoch += 1;
      known.delete(groupId);
    },

    /** For when invalidations may have been lost. */
    forgetAll,
  };
}

interface Publishing extends Pick<GroupDependencies, "groups" | "roles"> {
  node: Pick<NodeContext, "publish">;
}

/** Publishes to the members with a permission, by rooms that the permissions of their sockets already decide about. */
export async function publishToModerators<N extends EventName>(
  { node, groups, roles }: Publishing,
  groupId: string,
  permission: PermissionName,
  name: N,
  payload: EventPayload<N>,
): Promise<void> {
  const group = await groups.find(groupId);
  if (group === null) return;
  if (hasPermission(defaultPermissionsOf(group), permission))
    return node.publish(groupRoom(groupId), name, payload);
  const moderating = (await roles.listOfGroup(groupId)).filter(({ permissions }) =>
    hasPermission(permissions, permission),
  );
  node.publish([userRoom(group.ownerId), ...moderating.map(({ _id }) => roleRoom(_id))], name, payload);
}

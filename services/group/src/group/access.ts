import {
  canManageMember,
  CALL_PERMISSIONS,
  type Services,
  groupRoom,
  hasPermission,
  NO_PERMISSIONS,
  PERMISSIONS,
  type Result,
  userRoom,
} from "@fanfare/contract";
import type { Handlers } from "@fanfare/kernel";
import { roomInUse } from "../channel/rooms.ts";
import type { ChannelDocument } from "../channel/channel.model.ts";
import type { GroupDependencies, GroupRepositories } from "../group.dependencies.ts";
import { directPermissions } from "../group.policy.ts";
import { presentMute } from "../group.presenter.ts";
import { loadMember, permissionsIn, requireActor, sees, subjectOf } from "../subjects.ts";

type Access = Result<"group.access">;

const NOWHERE: Access = {
  permissions: NO_PERMISSIONS,
  groupId: null,
  mutedUntil: null,
  rooms: [],
};

/** A section contains channels, not messages or a call. */
const NOT_IN_SECTIONS =
  PERMISSIONS.sendMessages | PERMISSIONS.attachFiles | PERMISSIONS.addReactions | CALL_PERMISSIONS;

export const accessActions = (dependencies: GroupDependencies): Handlers => ({
  /** At most five indexed queries, regardless of the size of the group; one of them in the user service for direct channels. */
  "group.access": async ({ params: { userId, groupId, channelId }, services }) => {
    if (channelId === undefined) {
      return groupId === undefined ? NOWHERE : accessInGroup(dependencies, groupId, userId, null);
    }
    const channel = await findChannel(dependencies, channelId);
    if (channel === null) return NOWHERE;
    if (channel.groupId !== undefined) {
      const access = await accessInGroup(dependencies, channel.groupId, userId, channel);
      return channel._id === channelId ? access : { ...access, isThread: true };
    }
    const memberIds = channel.memberIds ?? [];
    const permissions = directPermissions(memberIds, userId);
    if (permissions === NO_PERMISSIONS) return NOWHERE;
    const isBlocked = channel.kind === "direct" && (await isBlockBetween(services, userId, memberIds));
    return {
      permissions: isBlocked ? PERMISSIONS.view : permissions,
      groupId: null,
      mutedUntil: null,
      rooms: memberIds.map(userRoom),
    };
  },

  /** At most four indexed queries. */
  "group.findViewers": async ({ params: { channelId, userIds } }) => {
    const channel = await findChannel(dependencies, channelId);
    if (channel?.groupId === undefined) return { userIds: [] };
    const [group, found] = await Promise.all([
      dependencies.groups.find(channel.groupId),
      dependencies.members.findMany(channel.groupId, userIds),
    ]);
    const viewers = found.filter(({ groupId, userId, roleIds = [] }) =>
      sees(subjectOf(userId, { groupId, roleIds }, userId === group?.ownerId), channel),
    );
    return { userIds: viewers.map(({ userId }) => userId) };
  },

  "group.outranks": async ({ params: { groupId, userId, otherUserId } }) => {
    const [member, other] = await Promise.all([
      loadMember(dependencies, groupId, userId),
      loadMember(dependencies, groupId, otherUserId),
    ]);
    return { outranks: member !== null && other !== null && canManageMember(member.subject, other.subject) };
  },

  "group.myPermissions": async ({ params: { groupId }, actor }) => {
    const [own, listed] = await Promise.all([
      requireActor(dependencies, groupId, actor.userId),
      dependencies.channels.listOfGroup(groupId),
    ]);
    const channels = listed
      .map((channel) => ({ channelId: channel._id, permissions: permissionsIn(own, channel) }))
      .filter(({ permissions }) => permissions !== 0);
    return { permissions: own.permissions, channels };
  },
});

/** For a thread, its parent: a thread has the permissions of its parent. */
async function findChannel(
  { channels }: Pick<GroupDependencies, "channels">,
  channelId: string,
): Promise<ChannelDocument | null> {
  const found = await channels.find(channelId);
  return found?.parentId === undefined ? found : channels.find(found.parentId);
}

async function isBlockBetween(
  services: Services,
  userId: string,
  memberIds: readonly string[],
): Promise<boolean> {
  const userIds = memberIds.filter((id) => id !== userId);
  // None in a user's notes to themselves.
  if (userIds.length === 0) return false;
  return (await services.user.listBlockedAmong({ userId, userIds })).userIds.length > 0;
}

/** @param channel null: the group as a whole */
async function accessInGroup(
  repositories: Pick<GroupRepositories, "groups" | "members" | "roles">,
  groupId: string,
  userId: string,
  channel: ChannelDocument | null,
): Promise<Access> {
  const loaded = await loadMember(repositories, groupId, userId);
  if (loaded === null) return NOWHERE;
  const mutedUntil = presentMute(loaded.member.mutedUntil);
  if (channel === null) {
    return { permissions: loaded.permissions, groupId, mutedUntil, rooms: [groupRoom(groupId)] };
  }
  const inChannel = permissionsIn(loaded, channel);
  if (inChannel === NO_PERMISSIONS) return NOWHERE;
  const permissions = channel.kind === "section" ? inChannel & ~NOT_IN_SECTIONS : inChannel;
  const slowModeMs = slowModeOf(channel, permissions);
  const { wordFilterRev } = loaded.group;
  const isFiltered = wordFilterRev !== undefined && !hasPermission(permissions, "manageMessages");
  return {
    permissions,
    groupId,
    mutedUntil,
    rooms: [roomInUse(channel)],
    ...(slowModeMs > 0 && { slowModeMs }),
    ...(isFiltered && { wordFilterRev }),
  };
}

/** Moderators of the channel are exempt from slow mode. */
function slowModeOf({ slowModeSeconds = 0 }: ChannelDocument, permissions: number): number {
  const isExempt =
    hasPermission(permissions, "manageMessages") || hasPermission(permissions, "manageChannels");
  return isExempt ? 0 : slowModeSeconds * 1000;
}

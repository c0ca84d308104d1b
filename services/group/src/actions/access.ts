import { groupRoom, NO_PERMISSIONS, userRoom, type Result } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { GroupDependencies, GroupRepositories } from "../group.dependencies.ts";
import { presentMute } from "../group.presenter.ts";
import { directPermissions, groupPermissions } from "../group.policy.ts";

type Access = Result<"group.access">;

const NOWHERE: Access = { permissions: NO_PERMISSIONS, groupId: null, mutedUntil: null, rooms: [] };

/** At most three look-ups by index, whatever the size of the group. */
export function access(dependencies: GroupDependencies): Handler<"group.access"> {
  return async ({ params: { userId, groupId, channelId } }) => {
    if (channelId === undefined) {
      return groupId === undefined ? NOWHERE : accessToGroup(dependencies, groupId, userId);
    }
    const channel = await dependencies.channels.find(channelId);
    if (channel === null) return NOWHERE;
    if (channel.groupId !== undefined)
      return accessToGroup(dependencies, channel.groupId.toHexString(), userId);
    const memberIds = channel.memberIds?.map((id) => id.toHexString()) ?? [];
    const permissions = directPermissions(memberIds, userId);
    return permissions === NO_PERMISSIONS
      ? NOWHERE
      : { permissions, groupId: null, mutedUntil: null, rooms: memberIds.map(userRoom) };
  };
}

async function accessToGroup(
  { groups, members }: GroupRepositories,
  groupId: string,
  userId: string,
): Promise<Access> {
  const [group, member] = await Promise.all([groups.find(groupId), members.find(groupId, userId)]);
  if (group === null || member === null) return NOWHERE;
  return {
    permissions: groupPermissions(group.ownerId.toHexString(), userId, true),
    groupId,
    mutedUntil: presentMute(member.mutedUntil),
    rooms: [groupRoom(groupId)],
  };
}

export function listRooms({ members }: GroupDependencies): Handler<"group.listRooms"> {
  return async ({ params: { userId } }) => ({
    rooms: [userRoom(userId), ...(await members.listGroupIds(userId)).map(groupRoom)],
  });
}

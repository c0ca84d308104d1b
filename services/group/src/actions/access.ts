import { groupRoom, NO_PERMISSIONS, PERMISSIONS, userRoom, type Call, type Result } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { GroupDependencies, GroupRepositories } from "../group.dependencies.ts";
import { presentMute } from "../group.presenter.ts";
import { directPermissions, groupPermissions } from "../group.policy.ts";

type Access = Result<"group.access">;

const NOWHERE: Access = { permissions: NO_PERMISSIONS, groupId: null, mutedUntil: null, rooms: [] };

/** At most three look-ups by index, whatever the size of the group; for a direct channel one of them is in the user service. */
export function access(dependencies: GroupDependencies): Handler<"group.access"> {
  return async ({ params: { userId, groupId, channelId }, call }) => {
    if (channelId === undefined) {
      return groupId === undefined ? NOWHERE : accessToGroup(dependencies, groupId, userId);
    }
    const channel = await dependencies.channels.find(channelId);
    if (channel === null) return NOWHERE;
    if (channel.groupId !== undefined)
      return accessToGroup(dependencies, channel.groupId.toHexString(), userId);
    const memberIds = channel.memberIds?.map((id) => id.toHexString()) ?? [];
    const permissions = directPermissions(memberIds, userId);
    if (permissions === NO_PERMISSIONS) return NOWHERE;
    const isBlocked = channel.kind === "direct" && (await isBlockBetween(call, userId, memberIds));
    return {
      permissions: isBlocked ? PERMISSIONS.view : permissions,
      groupId: null,
      mutedUntil: null,
      rooms: memberIds.map(userRoom),
    };
  };
}

async function isBlockBetween(call: Call, userId: string, memberIds: readonly string[]): Promise<boolean> {
  const userIds = memberIds.filter((id) => id !== userId);
  return (await call("user.listBlockedAmong", { userId, userIds })).userIds.length > 0;
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

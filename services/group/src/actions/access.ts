import { PERMISSIONS, userRoom, NO_PERMISSIONS, type Call } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import { accessInGroup, NOWHERE } from "../group-access.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { directPermissions } from "../group.policy.ts";

/** At most four look-ups by index, five for a thread, whatever the size of the group; for a direct channel one of them is in the user service. */
export function access(dependencies: GroupDependencies): Handler<"group.access"> {
  return async ({ params: { userId, groupId, channelId }, call }) => {
    if (channelId === undefined) {
      return groupId === undefined ? NOWHERE : accessInGroup(dependencies, groupId, userId, null);
    }
    const found = await dependencies.channels.find(channelId);
    // What holds in its parent holds in a thread.
    const parentId = found?.parentId?.toHexString();
    const channel = parentId === undefined ? found : await dependencies.channels.find(parentId);
    if (channel === null) return NOWHERE;
    if (channel.groupId !== undefined)
      return accessInGroup(dependencies, channel.groupId.toHexString(), userId, channel);
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

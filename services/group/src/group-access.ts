import { groupRoom, hasPermission, NO_PERMISSIONS, PERMISSIONS, type Result } from "@fanfare/contract";
import type { ChannelDocument } from "./channel.model.ts";
import { roomInUse } from "./channel-rooms.ts";
import type { GroupRepositories } from "./group.dependencies.ts";
import { presentMute } from "./group.presenter.ts";
import { loadMember, permissionsIn } from "./subjects.ts";

type Access = Result<"group.access">;

export const NOWHERE: Access = {
  permissions: NO_PERMISSIONS,
  groupId: null,
  mutedUntil: null,
  rooms: [],
};
/** A section holds channels and no messages. */
const NOT_IN_SECTIONS = PERMISSIONS.sendMessages | PERMISSIONS.attachFiles | PERMISSIONS.addReactions;

/** @param channel null: the group as a whole */
export async function accessInGroup(
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

/** Those who keep order in the channel do not wait. */
function slowModeOf({ slowModeSeconds = 0 }: ChannelDocument, permissions: number): number {
  const isExempt =
    hasPermission(permissions, "manageMessages") || hasPermission(permissions, "manageChannels");
  return isExempt ? 0 : slowModeSeconds * 1000;
}

import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

export function deleteChannel(dependencies: GroupDependencies): Handler<"channel.delete"> {
  const { node, channels, membership, purge } = dependencies;
  return async ({ params: { channelId }, access: { groupId, rooms } }) => {
    if (groupId === null) throw serviceError("FORBIDDEN");
    if (!(await channels.markDeleted(channelId))) throw serviceError("CHANNEL_NOT_FOUND");
    // Access is remembered by user and channel; all of the group's is forgotten, because channels are rarely deleted.
    membership.forget(groupId, null);
    node.publish(rooms, "channel.deleted", { groupId, channelId });
    purge.channel(channelId);
    return {};
  };
}

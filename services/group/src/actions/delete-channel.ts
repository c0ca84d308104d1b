import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

export function deleteChannel(dependencies: GroupDependencies): Handler<"channel.delete"> {
  const { channels, purge } = dependencies;
  return async ({ params: { channelId }, access: { groupId } }) => {
    if (groupId === null) throw serviceError("FORBIDDEN");
    if (!(await channels.markDeleted(channelId))) throw serviceError("CHANNEL_NOT_FOUND");
    purge.channel(groupId, channelId);
    return {};
  };
}

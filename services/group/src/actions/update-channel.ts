import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";

export function updateChannel({ node, channels }: GroupDependencies): Handler<"channel.update"> {
  return async ({ params: { channelId, ...changes }, access }) => {
    const isChange = Object.values(changes).some((value) => value !== undefined);
    const found = await (isChange ? channels.update(channelId, changes) : channels.find(channelId));
    if (found === null) throw serviceError("CHANNEL_NOT_FOUND");
    const channel = presentChannel(found);
    if (isChange) node.publish(access.rooms, "channel.updated", { channel });
    return { channel };
  };
}

import { groupRoom, LIMITS } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { Types } from "mongoose";
import type { ChannelDocument } from "../channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";

export function createChannel({ node, groups, channels }: GroupDependencies): Handler<"channel.create"> {
  return async ({ params: { groupId, name } }) => {
    const max = LIMITS.channelsPerGroup;
    const existing = await channels.listOfGroup(groupId);
    if (existing.length >= max) throw serviceError("LIMIT_REACHED", { limit: "channelsPerGroup", max });
    const created: ChannelDocument = {
      _id: new Types.ObjectId(),
      groupId: new Types.ObjectId(groupId),
      kind: "text",
      name,
      position: (existing.at(-1)?.position ?? -1) + 1,
      createdAt: new Date(),
    };
    await channels.insert(created);
    // Looked up afterwards, so that a group that is being deleted keeps no channel behind.
    if ((await groups.find(groupId)) === null) {
      await channels.remove([created._id.toHexString()]);
      throw serviceError("GROUP_NOT_FOUND");
    }
    const channel = presentChannel(created);
    node.publish(groupRoom(groupId), "channel.created", { channel });
    return { channel };
  };
}

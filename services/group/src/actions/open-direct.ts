import { userRoom } from "@fanfare/contract";
import { duplicateKeyIndex, type Handler, type NodeContext, serviceError } from "@fanfare/kernel";
import { Types } from "mongoose";
import type { ChannelDocument } from "../channel.model.ts";
import type { ChannelRepository } from "../channel.repository.ts";
import { channelStates } from "../channel-states.ts";
import { assertReachable } from "../reachable.ts";
import { directKey } from "../direct-key.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";

export function openDirect({ node, channels }: GroupDependencies): Handler<"channel.openDirect"> {
  return async ({ params: { userId }, actor, call }) => {
    if (userId === actor.userId) {
      const issues = [{ path: "userId", message: "must be another user's" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    const existing = await channels.findDirect(directKey(actor.userId, userId));
    if (existing === null) {
      await call("user.get", { userId });
      await assertReachable(call, "direct", actor.userId, [userId]);
    }
    const channel = existing ?? (await createDirect(node, channels, actor.userId, userId));
    const [state] = await channelStates(call, actor.userId, [channel]);
    if (state === undefined) throw serviceError("INTERNAL");
    return { channel: state };
  };
}

/** Of two that open the same channel at once one creates it, by the unique key, and the other gets it. */
async function createDirect(
  node: NodeContext,
  channels: ChannelRepository,
  actorId: string,
  userId: string,
): Promise<ChannelDocument> {
  const created: ChannelDocument = {
    _id: new Types.ObjectId(),
    kind: "direct",
    name: "",
    position: 0,
    memberIds: [actorId, userId].map((id) => new Types.ObjectId(id)),
    directKey: directKey(actorId, userId),
    createdAt: new Date(),
  };
  try {
    await channels.insert(created);
  } catch (error) {
    const existing = duplicateKeyIndex(error) === null ? null : await channels.findDirect(created.directKey!);
    if (existing === null) throw error;
    return existing;
  }
  node.publish([actorId, userId].map(userRoom), "channel.created", { channel: presentChannel(created) });
  return created;
}

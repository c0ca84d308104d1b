import { userRoom } from "@fanfare/contract";
import { duplicateKeyIndex, newId, serviceError, type Handler } from "@fanfare/kernel";
import type { ChannelDocument } from "../channel.model.ts";
import { channelStates } from "../channel-states.ts";
import { assertReachable } from "../reachable.ts";
import { assertRoomForDirects } from "../direct-limit.ts";
import { directKey } from "../direct-key.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";

export function openDirect(dependencies: GroupDependencies): Handler<"channel.openDirect"> {
  const { node, directs } = dependencies;
  return async ({ params: { userId }, actor, call }) => {
    if (userId === actor.userId) {
      const issues = [{ path: "userId", message: "must be another user's" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    const existing = await directs.find(directKey(actor.userId, userId));
    if (existing === null) {
      await call("user.get", { userId });
      await assertReachable(call, "direct", actor, [userId]);
      await assertRoomForDirects(directs, [actor.userId]);
    }
    const channel = existing ?? (await createDirect(dependencies, actor.userId, userId));
    const [state] = await channelStates(call, actor.userId, [channel]);
    if (state === undefined) throw serviceError("INTERNAL");
    if (channel.closedAtSeq?.[actor.userId] !== undefined) {
      await directs.reopen(state.id, actor.userId);
      node.publish(userRoom(actor.userId), "channel.created", { channel: presentChannel(channel) });
    }
    return { channel: state };
  };
}

/** Of two that open the same channel at once one creates it, by the unique key, and the other gets it. */
async function createDirect(
  { node, channels, directs }: GroupDependencies,
  actorId: string,
  userId: string,
): Promise<ChannelDocument> {
  const createdAt = new Date();
  const created: ChannelDocument = {
    _id: newId(),
    kind: "direct",
    name: "",
    position: 0,
    memberIds: [actorId, userId],
    directKey: directKey(actorId, userId),
    createdAt,
    lastActivityAt: createdAt,
  };
  try {
    await channels.insert(created);
  } catch (error) {
    const existing = duplicateKeyIndex(error) === null ? null : await directs.find(created.directKey!);
    if (existing === null) throw error;
    return existing;
  }
  node.publish([actorId, userId].map(userRoom), "channel.created", { channel: presentChannel(created) });
  return created;
}

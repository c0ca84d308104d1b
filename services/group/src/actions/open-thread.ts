import { LIMITS } from "@fanfare/contract";
import { newId, serviceError, type Handler } from "@fanfare/kernel";
import type { ChannelDocument } from "../channel.model.ts";
import { channelStates } from "../channel-states.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import type { ThreadDocument } from "../thread.repository.ts";

export function openThread(dependencies: GroupDependencies): Handler<"channel.openThread"> {
  const { node, channels, threads } = dependencies;
  return async ({ params: { channelId, messageId, name }, actor, access: { rooms }, call }) => {
    const parent = await channels.find(channelId);
    if (parent?.kind !== "text" || parent.groupId === undefined) throw serviceError("FORBIDDEN");
    let thread: ChannelDocument | null = await threads.findByRoot(messageId);
    if (thread === null) {
      const { message } = await call("message.get", { channelId, messageId });
      if (message.deletedAt !== null) throw serviceError("MESSAGE_NOT_FOUND");
      await assertRoomForThread(dependencies, channelId);
      const createdAt = new Date();
      const created: ThreadDocument = {
        _id: newId(),
        kind: "thread",
        name: name ?? "",
        position: 0,
        parentId: parent._id,
        parentGroupId: parent.groupId,
        rootMessageId: messageId,
        createdBy: actor.userId,
        threadState: "open",
        createdAt,
        lastActivityAt: createdAt,
      };
      thread = (await threads.insert(created)) ? created : await threads.findByRoot(messageId);
      // Looked up afterwards, so that a channel that is being deleted keeps no thread behind.
      if ((await channels.find(channelId)) === null) {
        await channels.remove([created._id]);
        throw serviceError("CHANNEL_NOT_FOUND");
      }
      if (thread === created) node.publish(rooms, "channel.created", { channel: presentChannel(created) });
    }
    // A message of another channel is none of this one.
    if (thread?.parentId !== channelId) throw serviceError("MESSAGE_NOT_FOUND");
    const threadId = thread._id;
    // Each time: whoever made the thread may have died before it did this.
    await call("message.setThread", { channelId, messageId, threadId, rooms: [...rooms] });
    const [channel] = await channelStates(call, actor.userId, [thread]);
    return { channel: channel! };
  };
}

/** @throws {ServiceError} LIMIT_REACHED when the channel has as many threads in use as there may be */
export async function assertRoomForThread(
  { threads }: Pick<GroupDependencies, "threads">,
  parentId: string,
): Promise<void> {
  const max = LIMITS.threadsPerChannel;
  const open = await threads.countOpen(parentId, max);
  if (open >= max) throw serviceError("LIMIT_REACHED", { limit: "threadsPerChannel", max });
}

import { serviceError, may, type Access, type Handler } from "@fanfare/kernel";
import { activityCursorOf, parseActivityCursor } from "../activity-cursor.ts";
import type { ChannelDocument } from "../channel.model.ts";
import { channelStates } from "../channel-states.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import { assertRoomForThread } from "./open-thread.ts";

export function listThreads({ threads }: GroupDependencies): Handler<"channel.listThreads"> {
  return async ({ params: { channelId, archived, cursor, limit }, actor, call }) => {
    const before = cursor === undefined ? undefined : parseActivityCursor(cursor);
    const found = await threads.list(channelId, archived ? "archived" : "open", before, limit + 1);
    return {
      channels: await channelStates(call, actor.userId, found.slice(0, limit)),
      nextCursor: found.length > limit ? activityCursorOf(found[limit - 1]!) : null,
    };
  };
}

export function archiveThread(dependencies: GroupDependencies): Handler<"channel.archiveThread"> {
  const { node, threads } = dependencies;
  return async ({ params: { channelId }, actor, access }) => {
    const thread = await findManaged(dependencies, channelId, actor.userId, access);
    const changed = await threads.setState(channelId, "archived");
    const channel = presentChannel(changed ?? thread);
    if (changed !== null) node.publish(access.rooms, "channel.updated", { channel });
    return { channel };
  };
}

export function unarchiveThread(dependencies: GroupDependencies): Handler<"channel.unarchiveThread"> {
  const { node, threads } = dependencies;
  return async ({ params: { channelId }, actor, access }) => {
    const thread = await findManaged(dependencies, channelId, actor.userId, access);
    if (thread.threadState === "archived") {
      await assertRoomForThread(dependencies, thread.parentId!);
    }
    const changed = await threads.setState(channelId, "open");
    const channel = presentChannel(changed ?? thread);
    if (changed !== null) node.publish(access.rooms, "channel.updated", { channel });
    return { channel };
  };
}

/** @throws {ServiceError} FORBIDDEN unless it is a thread that the user has opened, or that stands where they manage channels */
async function findManaged(
  { channels }: GroupDependencies,
  channelId: string,
  userId: string,
  access: Access,
): Promise<ChannelDocument> {
  const thread = await channels.find(channelId);
  if (thread === null) throw serviceError("CHANNEL_NOT_FOUND");
  const isManaged = thread.createdBy === userId || may(access, "manageChannels");
  if (thread.kind !== "thread" || !isManaged) throw serviceError("FORBIDDEN");
  return thread;
}

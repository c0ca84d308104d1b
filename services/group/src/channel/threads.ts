import { type Channel, LIMITS } from "@fanfare/contract";
import {
  type Access,
  assertBelow,
  type Handlers,
  can,
  orThrow,
  newId,
  responseUsers,
  serviceError,
} from "@fanfare/kernel";
import { type ChannelDocument, isTextOrVoice } from "./channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import type { ThreadDocument } from "./channel.repository.ts";
import { activityCursorOf, parseActivityCursor } from "../activity.ts";
import { channelStates } from "./list-channels.ts";

export function threadActions(dependencies: GroupDependencies): Handlers {
  const { node, channels, threads } = dependencies;
  return {
    "channel.openThread": async ({
      params: { channelId, messageId, name },
      actor,
      access: { rooms },
      services,
    }) => {
      const parent = await channels.find(channelId);
      if (parent === null || !isTextOrVoice(parent) || parent.groupId === undefined)
        throw serviceError("FORBIDDEN");
      let thread: ChannelDocument | null = await threads.findByRoot(messageId);
      if (thread === null) {
        const { message } = await services.message.get({ channelId, messageId });
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
        // Checked after the insert, so that a channel being deleted doesn't leave a thread behind.
        if ((await channels.find(channelId)) === null) {
          await channels.remove([created._id]);
          throw serviceError("CHANNEL_NOT_FOUND");
        }
        if (thread === created) node.publish(rooms, "channel.created", { channel: presentChannel(created) });
      }
      // The message belongs to another channel.
      if (thread?.parentId !== channelId) throw serviceError("MESSAGE_NOT_FOUND");
      const threadId = thread._id;
      // Done on every call: the process that created the thread may have died before this step.
      await services.message.setThread({ channelId, messageId, threadId, rooms: [...rooms] });
      const [channel] = await channelStates(services, actor.userId, [thread]);
      return { channel: channel! };
    },

    "channel.listThreads": async ({
      params: { channelId, archived, cursor, limit, withUsers },
      actor,
      services,
    }) => {
      const before = cursor === undefined ? undefined : parseActivityCursor(cursor);
      const found = await threads.list(channelId, archived ? "archived" : "open", before, limit + 1);
      const listed = await channelStates(services, actor.userId, found.slice(0, limit));
      const ownerIds = listed.flatMap(({ ownerId }) => ownerId ?? []);
      return {
        channels: listed,
        nextCursor: found.length > limit ? activityCursorOf(found[limit - 1]!) : null,
        ...(await responseUsers(services, withUsers, ownerIds)),
      };
    },

    "channel.archiveThread": async ({ params: { channelId }, actor, access }) => {
      const thread = await findManaged(dependencies, channelId, actor.userId, access);
      return setState(dependencies, thread, "archived", access);
    },

    "channel.unarchiveThread": async ({ params: { channelId }, actor, access }) => {
      const thread = await findManaged(dependencies, channelId, actor.userId, access);
      if (thread.threadState === "archived") await assertRoomForThread(dependencies, thread.parentId!);
      return setState(dependencies, thread, "open", access);
    },

    "channel.findThreads": async ({ params: { channelIds } }) => {
      if (channelIds.length === 0) return { channels: [] };
      return { channels: (await threads.findMany(channelIds)).map(presentChannel) };
    },

    "channel.listGivenThreads": async ({ params: { channelIds, cursor, limit } }) => {
      const before = cursor === undefined ? undefined : parseActivityCursor(cursor);
      const found = await threads.listGiven(channelIds, before);
      return {
        channels: found.slice(0, limit).map(presentChannel),
        nextCursor: found.length > limit ? activityCursorOf(found[limit - 1]!) : null,
      };
    },
  };
}

/** @throws {ServiceError} LIMIT_REACHED when the channel has the maximum number of open threads */
async function assertRoomForThread(
  { threads }: Pick<GroupDependencies, "threads">,
  parentId: string,
): Promise<void> {
  assertBelow("threadsPerChannel", await threads.countOpen(parentId, LIMITS.threadsPerChannel));
}

/** @throws {ServiceError} FORBIDDEN unless the user opened the thread or can manage its channel */
async function findManaged(
  { channels }: GroupDependencies,
  channelId: string,
  userId: string,
  access: Access,
): Promise<ChannelDocument> {
  const thread = orThrow(await channels.find(channelId), "CHANNEL_NOT_FOUND");
  const isManaged = thread.createdBy === userId || can(access, "manageChannels");
  if (thread.kind !== "thread" || !isManaged) throw serviceError("FORBIDDEN");
  return thread;
}

async function setState(
  { node, threads }: GroupDependencies,
  thread: ChannelDocument,
  state: "open" | "archived",
  access: Access,
): Promise<{ channel: Channel }> {
  const changed = await threads.setState(thread._id, state);
  const channel = presentChannel(changed ?? thread);
  if (changed !== null) node.publish(access.rooms, "channel.updated", { channel });
  return { channel };
}

import { serviceError, type Handler, type Request } from "@fanfare/kernel";
import type { ChannelDocument } from "../channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { isPrivate } from "../group.presenter.ts";
import { tellPlaces } from "./reorder-channels.ts";

export function deleteChannel(dependencies: GroupDependencies): Handler<"channel.delete"> {
  const { channels, threads, purge, audit } = dependencies;
  const markThread = async (
    { call, access }: Request<"channel.delete">,
    { _id, parentId, rootMessageId }: ChannelDocument,
  ): Promise<boolean> => {
    // First, because a message that names a thread which is gone would never be put right.
    const [channelId, messageId] = [parentId!, rootMessageId!];
    await call("message.setThread", { channelId, messageId, threadId: null, rooms: [...access.rooms] });
    return threads.markDeleted(_id);
  };
  return async (request) => {
    const { channelId } = request.params;
    const { userId } = request.actor;
    const { groupId } = request.access;
    if (groupId === null) throw serviceError("FORBIDDEN");
    const channel = await channels.find(channelId);
    const isThread = channel?.kind === "thread";
    const isMarked =
      channel !== null &&
      (isThread ? await markThread(request, channel) : await channels.markDeleted(channelId));
    if (!isMarked) throw serviceError("CHANNEL_NOT_FOUND");
    if (isThread) await purge.thread(channel);
    else purge.channel(channel);
    if (channel.kind === "section") await emptySection(dependencies, groupId, channelId);
    const { name, kind, parentId } = channel;
    const place = parentId === undefined ? channel : await channels.find(parentId);
    await audit(groupId, userId, "channel.delete", {
      targetId: channelId,
      before: { name, kind, private: place === null || isPrivate(place) },
    });
    return {};
  };
}

/** Its channels stay where they are, without a section. */
async function emptySection(
  dependencies: GroupDependencies,
  groupId: string,
  sectionId: string,
): Promise<void> {
  const { channels } = dependencies;
  const inside = (await channels.listOfGroup(groupId)).filter((one) => one.sectionId === sectionId);
  const places = inside.map(({ _id, position }) => ({
    channelId: _id,
    sectionId: null,
    position,
  }));
  await channels.setPlaces(groupId, places);
  tellPlaces(dependencies, groupId, places, new Map(inside.map((one) => [one._id, one])));
}

import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { tellPlaces } from "./reorder-channels.ts";

export function deleteChannel(dependencies: GroupDependencies): Handler<"channel.delete"> {
  const { channels, purge, audit } = dependencies;
  return async ({ params: { channelId }, actor: { userId }, access: { groupId } }) => {
    if (groupId === null) throw serviceError("FORBIDDEN");
    const channel = await channels.find(channelId);
    if (channel === null || !(await channels.markDeleted(channelId))) {
      throw serviceError("CHANNEL_NOT_FOUND");
    }
    purge.channel(channel);
    if (channel.kind === "section") await emptySection(dependencies, groupId, channelId);
    const { name, kind } = channel;
    await audit(groupId, userId, "channel.delete", { targetId: channelId, before: { name, kind } });
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
  const inside = (await channels.listOfGroup(groupId)).filter(
    (one) => one.sectionId?.toHexString() === sectionId,
  );
  const places = inside.map(({ _id, position }) => ({
    channelId: _id.toHexString(),
    sectionId: null,
    position,
  }));
  await channels.setPlaces(groupId, places);
  tellPlaces(dependencies, groupId, places, new Map(inside.map((one) => [one._id.toHexString(), one])));
}

import type { Handlers } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

export const describeChannelActions = ({ channels, groups }: GroupDependencies): Handlers => ({
  /** For admins, who can be in none of them, and also while they are being deleted. */
  "group.describeChannels": async ({ params: { channelIds } }) => {
    const found = await channels.findAny(channelIds);
    const byId = new Map(found.map((channel) => [channel._id, channel]));
    const groupIds = found.flatMap(({ groupId, parentGroupId }) => groupId ?? parentGroupId ?? []);
    const named = new Map((await groups.findAny([...new Set(groupIds)])).map((one) => [one._id, one.name]));
    const lines = channelIds.map((id) => {
      const channel = byId.get(id);
      const groupId = channel?.groupId ?? channel?.parentGroupId;
      return {
        type: "channel" as const,
        id,
        kind: channel?.kind ?? ("deleted" as const),
        name: channel?.name ?? "",
        parentId: channel?.parentId ?? null,
        group: groupId === undefined ? null : { id: groupId, name: named.get(groupId) ?? "" },
        memberIds: channel?.memberIds ?? [],
      };
    });
    return { lines };
  },
});

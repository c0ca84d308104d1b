import { groupRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { difference } from "../audit.ts";
import { needActor } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";

export function setRetention(dependencies: GroupDependencies): Handler<"group.setRetention"> {
  const { node, groups, audit, announcer } = dependencies;
  return async ({ params: { groupId, days }, actor: { userId } }) => {
    const before = presentGroup((await needActor(dependencies, groupId, userId)).group);
    const updated = await groups.update(groupId, { retentionDays: days });
    if (updated === null) throw serviceError("GROUP_NOT_FOUND");
    const group = presentGroup(updated);
    const changed = difference(before, group, ["retentionDays"]);
    if (changed === null) return { group };
    await audit(groupId, userId, "group.setRetention", changed);
    node.publish(groupRoom(groupId), "group.updated", { group });
    announcer.told(groupId, group.memberCount);
    return { group };
  };
}

export function listRetention({ channels, groups }: GroupDependencies): Handler<"group.listRetention"> {
  return async ({ params: { afterChannelId, limit } }) => {
    const page = await channels.listPage(afterChannelId, limit);
    const groupOf = (channel: (typeof page)[number]): string | undefined =>
      channel.groupId ?? channel.parentGroupId;
    const groupIds = new Set(page.map(groupOf).filter((id) => id !== undefined));
    const found = await groups.findMany([...groupIds]);
    const days = new Map(found.map(({ _id, retentionDays }) => [_id, retentionDays ?? null]));
    return {
      channels: page
        .filter(({ kind }) => kind !== "section")
        .map((channel) => ({
          channelId: channel._id,
          days: days.get(groupOf(channel) ?? "") ?? null,
        })),
      nextChannelId: page.length === limit ? page.at(-1)!._id : null,
    };
  };
}

import { groupRoom, type Group } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { difference } from "../audit.ts";
import { needActor } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";
import { sees } from "../subjects.ts";

const AUDITED = ["name", "description", "defaultChannelId"] as const satisfies (keyof Group)[];

export function updateGroup(dependencies: GroupDependencies): Handler<"group.update"> {
  const { node, groups, channels, announcer, audit } = dependencies;
  return async ({ params: { groupId, ...changes }, actor: { userId } }) => {
    const actor = await needActor(dependencies, groupId, userId);
    if (typeof changes.defaultChannelId === "string") {
      const channel = await channels.find(changes.defaultChannelId);
      const isOfGroup = channel?.groupId === groupId && channel.kind === "text";
      if (!isOfGroup || !sees(actor.subject, channel)) throw serviceError("CHANNEL_NOT_FOUND");
    }
    const updated = await groups.update(groupId, changes);
    if (updated === null) throw serviceError("GROUP_NOT_FOUND");
    const group = presentGroup(updated);
    const changed = difference(presentGroup(actor.group), group, AUDITED);
    if (changed === null) return { group };
    await audit(groupId, userId, "group.update", changed);
    node.publish(groupRoom(groupId), "group.updated", { group });
    announcer.told(groupId, group.memberCount);
    return { group };
  };
}

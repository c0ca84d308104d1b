import type { Channel } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { difference } from "../audit.ts";
import { needActor } from "../authority.ts";
import { roomInUse } from "../channel-rooms.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import { needSection } from "../need-section.ts";

const AUDITED = [
  "name",
  "topic",
  "sectionId",
  "slowModeSeconds",
  "position",
] as const satisfies (keyof Channel)[];

export function updateChannel(dependencies: GroupDependencies): Handler<"channel.update"> {
  const { node, channels, membership, audit } = dependencies;
  return async ({ params: { channelId, ...changes }, actor: { userId }, access: { groupId, rooms } }) => {
    // Nobody manages a direct channel.
    if (groupId === null) throw serviceError("FORBIDDEN");
    const found = await channels.find(channelId);
    if (found === null) throw serviceError("CHANNEL_NOT_FOUND");
    if (typeof changes.sectionId === "string") {
      if (found.kind !== "text") throw serviceError("CHANNEL_NOT_FOUND");
      await needSection(dependencies, await needActor(dependencies, groupId, userId), changes.sectionId);
    }
    const updated = await channels.update(channelId, changes);
    if (updated === null) throw serviceError("CHANNEL_NOT_FOUND");
    const channel = presentChannel(updated);
    const changed = difference(presentChannel(found), channel, AUDITED);
    if (changed === null) return { channel };
    if ("slowModeSeconds" in (changed.after ?? {})) membership.forget(groupId, null);
    await audit(groupId, userId, "channel.update", { targetId: channelId, ...changed });
    node.publish(updated.kind === "thread" ? rooms : roomInUse(updated), "channel.updated", { channel });
    return { channel };
  };
}

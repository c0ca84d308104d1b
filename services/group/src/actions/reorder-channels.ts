import type { EventPayload } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { needActor } from "../authority.ts";
import { roomInUse } from "../channel-rooms.ts";
import type { ChannelDocument } from "../channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { sees } from "../subjects.ts";

type Places = EventPayload<"channel.reordered">["places"];

export function reorderChannels(dependencies: GroupDependencies): Handler<"channel.reorder"> {
  const { channels, audit } = dependencies;
  return async ({ params: { groupId, places }, actor: { userId } }) => {
    const actor = await needActor(dependencies, groupId, userId);
    const listed = await channels.listOfGroup(groupId);
    const seen = new Map(
      listed.filter((channel) => sees(actor.subject, channel)).map((channel) => [channel._id, channel]),
    );
    const isPossible = places.every(({ channelId, sectionId }) => {
      const channel = seen.get(channelId);
      if (channel === undefined) return false;
      return sectionId === null || (channel.kind === "text" && seen.get(sectionId)?.kind === "section");
    });
    if (!isPossible) throw serviceError("CHANNEL_NOT_FOUND");
    const moved = places.filter((place) => isMoved(place, seen.get(place.channelId)!));
    if (moved.length === 0) return {};
    await channels.setPlaces(groupId, moved);
    tellPlaces(dependencies, groupId, moved, seen);
    await audit(groupId, userId, "channel.reorder", { after: { channels: moved.length } });
    return {};
  };
}

/** Each room hears only of its own channels. */
export function tellPlaces(
  { node }: Pick<GroupDependencies, "node">,
  groupId: string,
  places: Places,
  channels: ReadonlyMap<string, ChannelDocument>,
): void {
  const byRoom = Map.groupBy(places, ({ channelId }) => roomInUse(channels.get(channelId)!));
  for (const [room, ofRoom] of byRoom) node.publish(room, "channel.reordered", { groupId, places: ofRoom });
}

function isMoved({ sectionId, position }: Places[number], channel: ChannelDocument): boolean {
  return channel.position !== position || (channel.sectionId ?? null) !== sectionId;
}

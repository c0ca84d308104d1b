import { channelRoom, groupRoom } from "@fanfare/contract";
import type { ChannelDocument } from "./channel.model.ts";
import { isPrivate } from "./group.presenter.ts";

type InUse = Pick<ChannelDocument, "_id" | "groupId" | "roomRev">;
type Placed = InUse & Pick<ChannelDocument, "overrides" | "overridesRev" | "movingSince">;

/** The room that hears of a group's channel now. */
export function roomInUse({ _id, groupId, roomRev }: InUse): string {
  return roomRev === undefined ? groupRoom(groupId!) : channelRoom(_id, roomRev);
}

/** The room that is to hear of it when those who see it are in there. */
export function roomToBe(channel: Placed): string {
  return isPrivate(channel)
    ? channelRoom(channel._id, channel.overridesRev ?? 0)
    : groupRoom(channel.groupId!);
}

/** The rooms that somebody who sees the channel belongs in, besides the group's. */
export function ownRooms(channel: Placed): string[] {
  const rooms =
    channel.movingSince === undefined ? [roomInUse(channel)] : [roomInUse(channel), roomToBe(channel)];
  return rooms.filter((room) => room !== groupRoom(channel.groupId!));
}

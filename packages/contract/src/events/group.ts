import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const groupEvents = {
  "role.created": event("group", "A new role in a group.", { role: e.RoleSchema }),
  "role.updated": event(
    "group",
    "The role has another name or colour, or those who have it may do other things.",
    { role: e.RoleSchema },
  ),
  "role.deleted": event("group", "The role is gone, and nobody has it any more.", {
    groupId: e.id,
    roleId: e.id,
  }),
  "role.reordered": event("group", "The roles of a group stand in another order.", {
    groupId: e.id,
    positions: z.array(z.object({ roleId: e.id, position: z.int() })),
  }),
  "group.joined": event("self", "The user is now in this group.", {
    group: e.GroupSchema,
    channels: z.array(e.ChannelSchema),
  }),
  "group.left": event("self", "The user is no longer in this group.", {
    groupId: e.id,
    reason: z.enum(["left", "kicked", "banned", "deleted"]),
  }),
  "group.updated": event("group", "The group has another name, owner, default role or other settings.", {
    group: e.GroupSchema,
  }),
  "group.deleted": event("group", "The group is gone.", { groupId: e.id }),
  "member.joined": event(
    "group",
    "Users joined: gathered for a moment, and of a crowd only a part is listed.",
    { groupId: e.id, members: z.array(e.MemberSchema), memberCount: z.int() },
  ),
  "member.left": event(
    "group",
    "Users left, or were put out: gathered for a moment, and of a crowd only a part is listed.",
    { groupId: e.id, userIds: z.array(e.id), memberCount: z.int() },
  ),
  "member.updated": event("group", "A member was muted or unmuted, or has other roles.", {
    member: e.MemberSchema,
  }),
};

export const channelEvents = {
  "channel.created": event(
    "channel",
    "A new channel in a group, a new direct channel, or one that the user did not see before.",
    { channel: e.ChannelSchema },
  ),
  "channel.updated": event(
    "channel",
    "The channel has another name, topic, place or slow mode, or others see it or may write in it than before.",
    { channel: e.ChannelSchema },
  ),
  "channel.deleted": event("channel", "The channel is gone, or the user does not see it any more.", {
    groupId: e.id.nullable(),
    channelId: e.id,
  }),
  "channel.closed": event(
    "self",
    "The user has put a direct channel out of sight. The next message brings it back.",
    { channelId: e.id },
  ),
  "channel.reordered": event("channel", "Channels of a group stand in other places.", {
    groupId: e.id,
    places: z.array(e.ChannelPlaceSchema),
  }),
  "readMarker.updated": event("self", "Another session of the user has read up to here.", {
    channelId: e.id,
    lastReadSeq: e.seq,
  }),
};

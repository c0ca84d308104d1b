import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const groupEvents = {
  "role.created": event({
    summary: "A new role in a group.",
    audience: "group",
    payload: z.object({ role: e.RoleSchema }),
  }),
  "role.updated": event({
    summary: "The role has another name or colour, or those who have it may do other things.",
    audience: "group",
    payload: z.object({ role: e.RoleSchema }),
  }),
  "role.deleted": event({
    summary: "The role is gone, and nobody has it any more.",
    audience: "group",
    payload: z.object({ groupId: e.id, roleId: e.id }),
  }),
  "role.reordered": event({
    summary: "The roles of a group stand in another order.",
    audience: "group",
    payload: z.object({
      groupId: e.id,
      positions: z.array(z.object({ roleId: e.id, position: z.int() })),
    }),
  }),
  "group.joined": event({
    summary: "The user is now in this group.",
    audience: "self",
    payload: z.object({ group: e.GroupSchema, channels: z.array(e.ChannelSchema) }),
  }),
  "group.left": event({
    summary: "The user is no longer in this group.",
    audience: "self",
    payload: z.object({ groupId: e.id, reason: z.enum(["left", "kicked", "banned", "deleted"]) }),
  }),
  "group.updated": event({
    summary: "The group has another name, owner, default role or other settings.",
    audience: "group",
    payload: z.object({ group: e.GroupSchema }),
  }),
  "group.deleted": event({
    summary: "The group is gone.",
    audience: "group",
    payload: z.object({ groupId: e.id }),
  }),
  "member.joined": event({
    summary: "Users joined: gathered for a moment, and of a crowd only a part is listed.",
    audience: "group",
    payload: z.object({ groupId: e.id, members: z.array(e.MemberSchema), memberCount: z.int() }),
  }),
  "member.left": event({
    summary: "Users left, or were put out: gathered for a moment, and of a crowd only a part is listed.",
    audience: "group",
    payload: z.object({ groupId: e.id, userIds: z.array(e.id), memberCount: z.int() }),
  }),
  "member.updated": event({
    summary: "A member was muted or unmuted, or has other roles.",
    audience: "group",
    payload: z.object({ member: e.MemberSchema }),
  }),
};

export const channelEvents = {
  "channel.created": event({
    summary: "A new channel in a group, a new direct channel, or one that the user did not see before.",
    audience: "channel",
    payload: z.object({ channel: e.ChannelSchema }),
  }),
  "channel.updated": event({
    summary:
      "The channel has another name, topic, place or slow mode, or others see it or may write in it than before.",
    audience: "channel",
    payload: z.object({ channel: e.ChannelSchema }),
  }),
  "channel.deleted": event({
    summary: "The channel is gone, or the user does not see it any more.",
    audience: "channel",
    payload: z.object({ groupId: e.id.nullable(), channelId: e.id }),
  }),
  "channel.closed": event({
    summary: "The user has put a direct channel out of sight. The next message brings it back.",
    audience: "self",
    payload: z.object({ channelId: e.id }),
  }),
  "channel.reordered": event({
    summary: "Channels of a group stand in other places.",
    audience: "channel",
    payload: z.object({ groupId: e.id, places: z.array(e.ChannelPlaceSchema) }),
  }),
  "readMarker.updated": event({
    summary: "Another session of the user has read up to here.",
    audience: "self",
    payload: z.object({ channelId: e.id, lastReadSeq: e.seq }),
  }),
};

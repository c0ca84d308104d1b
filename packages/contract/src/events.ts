import { z } from "zod";
import { event, type EventDefinition } from "./define.ts";
import * as e from "./entities.ts";

/** What a client is told without asking. Past tense, the same name on the server and in the client. */
export const EVENTS = {
  ready: event({
    summary: "The socket is in all its rooms: from here on nothing is missed.",
    audience: "self",
    payload: z.object({ userId: e.id, sessionId: e.id, protocolVersion: z.int(), serverTime: e.time }),
  }),
  resync: event({
    summary: "This socket read too slowly and missed events: sync every channel.",
    audience: "self",
    payload: z.object({}),
  }),
  "server.draining": event({
    summary: "This server is going away: reconnect after a random part of the given time.",
    audience: "self",
    payload: z.object({ reconnectWithinMs: z.int() }),
  }),
  "session.revoked": event({
    summary: "This session has ended; the socket closes.",
    audience: "self",
    payload: z.object({ sessionIds: z.array(e.id).nullable().describe("null: all sessions of the user") }),
  }),
  "user.updated": event({
    summary: "A profile changed: one's own, or that of somebody in a common group.",
    audience: "group",
    payload: z.object({ user: e.UserSchema }),
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
    summary: "The group has another name or owner.",
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
    summary: "A member was muted or unmuted.",
    audience: "group",
    payload: z.object({ member: e.MemberSchema }),
  }),
  "channel.created": event({
    summary: "A new channel in a group, or a new direct channel.",
    audience: "channel",
    payload: z.object({ channel: e.ChannelSchema }),
  }),
  "channel.updated": event({
    summary: "The channel has another name or position.",
    audience: "channel",
    payload: z.object({ channel: e.ChannelSchema }),
  }),
  "channel.deleted": event({
    summary: "The channel is gone.",
    audience: "channel",
    payload: z.object({ groupId: e.id, channelId: e.id }),
  }),
  "message.created": event({
    summary: "New messages of one channel, in order: those that were stored together come together.",
    audience: "channel",
    payload: z.object({ channelId: e.id, messages: z.array(e.MessageSchema) }),
  }),
  "message.changed": event({
    summary: "A message was edited.",
    audience: "channel",
    payload: z.object({ message: e.MessageSchema }),
  }),
  "message.deleted": event({
    summary: "A message was deleted; what remains of it is here.",
    audience: "channel",
    payload: z.object({ message: e.MessageSchema }),
  }),
  "readMarker.updated": event({
    summary: "Another session of the user has read up to here.",
    audience: "self",
    payload: z.object({ channelId: e.id, lastReadSeq: e.seq }),
  }),
  "presence.changed": event({
    summary: "Users that this socket watches look different now: gathered for a second.",
    audience: "watchers",
    payload: z.object({ presences: z.array(e.PresenceSchema) }),
  }),
  "typing.started": event({
    summary:
      "Somebody is writing, until the time is over or their message is here. In a crowd most are left out.",
    audience: "channel",
    payload: z.object({ channelId: e.id, userId: e.id, expiresInMs: z.int() }),
  }),
} satisfies Record<string, EventDefinition>;

export type EventName = keyof typeof EVENTS;
export type EventPayload<N extends EventName> = z.output<(typeof EVENTS)[N]["payload"]>;

/** The Socket.IO listener map of a client. */
export type ServerToClientEvents = { [N in EventName]: (payload: EventPayload<N>) => void };

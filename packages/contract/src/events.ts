import { z } from "zod";
import { event, type EventDefinition } from "./define.ts";
import * as e from "./entities.ts";

/** What a client is told without asking. Past tense, the same name on the server and in the client. */
export const EVENTS = {
  ready: event(
    "self",
    "The socket is in all rooms of its user. Call channel.sync now: events of the time before were not kept.",
    { userId: e.id, sessionId: e.id, protocolVersion: z.int(), serverTime: e.time },
  ),
  resync: event(
    "self",
    "Events for this socket may have been lost, because it read too slowly or processes lost contact: call channel.sync for every channel.",
    {},
  ),
  "server.draining": event(
    "self",
    "This server is stopping: reconnect after a random part of the given time, or when the socket is closed.",
    { reconnectWithinMs: z.int() },
  ),
  "session.revoked": event("self", "This session has ended; the socket closes.", {
    sessionIds: z.array(e.id).nullable().describe("null: all sessions of the user"),
  }),

  "server.announced": event("everybody", "Who runs this server has something to tell everybody.", {
    text: z.string(),
    announcedAt: e.time,
  }),
  "server.paused": event("everybody", "Nobody but admins can change anything until `server.resumed`.", {
    message: z.string(),
  }),
  "server.resumed": event("everybody", "Everything can be done again.", {}),

  "user.updated": event(
    "group",
    "A profile changed: the user's own, or that of a member of a shared group.",
    { user: e.UserSchema },
  ),
  "account.updated": event(
    "self",
    "A private setting of the user's account changed: e-mail address, language, second factor or OIDC login.",
    { user: e.OwnUserSchema },
  ),

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

  "friend.requested": event("self", "A friend request was received or sent.", {
    request: e.FriendRequestSchema,
  }),
  "friend.added": event("self", "A friend request was accepted, and is no longer pending.", {
    friend: e.FriendSchema,
  }),
  "friend.removed": event("self", "A friend was removed, or a friend request was declined or withdrawn.", {
    userId: e.id,
  }),

  "message.created": event(
    "channel",
    "New messages of one channel, in the order of their rev; messages stored together come in one event. Can be missing or repeated: see docs/protocol.md.",
    { channelId: e.id, messages: z.array(e.MessageSchema) },
  ),
  "message.changed": event("channel", "A message was edited, pinned or unpinned, or got its previews.", {
    message: e.MessageSchema,
  }),
  "reaction.changed": event(
    "channel",
    "The present reactions of a message. Sent some time after a reaction, once for several.",
    {
      channelId: e.id,
      messageId: e.id,
      seq: e.seq,
      rev: e.seq.describe("the number of this change"),
      afterRev: e.seq.describe(
        "the message's rev before this change; a client whose message has another rev calls channel.sync",
      ),
      reactions: z.array(e.ReactionSchema),
    },
  ),
  "message.deleted": event("channel", "A message was deleted; what remains of it is here.", {
    message: e.MessageSchema,
  }),

  "presence.changed": event(
    "watchers",
    "The presence of watched users changed. Changes are collected for a second.",
    { presences: z.array(e.PresenceSchema) },
  ),
  "typing.started": event(
    "channel",
    "A user is typing, until `expiresInMs` has passed or their message arrives. In busy channels only some users are reported.",
    { channelId: e.id, userId: e.id, expiresInMs: z.int() },
  ),

  "command.invoked": event("self", "Sent to a bot when a user runs one of its commands.", {
    invocation: e.InvocationSchema,
  }),
  "bot.disabled": event(
    "self",
    "To who has made a bot: its callbacks have failed too often, and are not tried any more.",
    { groupId: e.id, botId: e.id, lastError: z.string() },
  ),

  "inbox.added": event(
    "self",
    "A message mentions the user by name, or replies to one of theirs. Role mentions and @everyone are part of `message.created`.",
    { message: e.MessageSchema, groupId: e.id.nullable() },
  ),
  "inbox.updated": event("self", "Another session of the user has read the inbox, or cleared it.", {
    marker: e.InboxMarkerSchema,
  }),
  "thread.followed": event("self", "The user now follows a thread, so `channel.listUnread` includes it.", {
    channelId: e.id,
  }),

  "notification.updated": event("self", "The user's notification settings changed.", {
    setting: e.NotificationSettingSchema,
  }),
} satisfies Record<string, EventDefinition>;

export type EventName = keyof typeof EVENTS;
export type EventPayload<N extends EventName> = z.output<(typeof EVENTS)[N]["payload"]>;

/** The Socket.IO listener map of a client. */
export type ServerToClientEvents = { [N in EventName]: (payload: EventPayload<N>) => void };

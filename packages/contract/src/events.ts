import { z } from "zod";
import { event, type EventDefinition } from "./define.ts";
import * as e from "./entities.ts";
import { LIMITS } from "./limits.ts";

/** Events from the server to clients. Names are in the past tense, and the same on both sides. */
export const EVENTS = {
  ready: event(
    "self",
    "The socket has joined all rooms of its user. Call channel.sync now: earlier events were not kept.",
    { userId: e.id, sessionId: e.id, protocolVersion: z.int(), serverTime: e.time },
  ),
  resync: event(
    "self",
    "Events for this socket may have been lost, because it read too slowly or processes lost contact, or an import added messages: call channel.sync for every channel.",
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

  "server.announced": event(
    "everyone",
    "An announcement by an admin of this server to all connected users.",
    {
      text: z.string(),
      announcedAt: e.time,
    },
  ),
  "server.paused": event(
    "everyone",
    "The server is in maintenance mode: only admins can make changes until `server.resumed`. Also sent after `ready`.",
    {
      message: z.string(),
    },
  ),
  "server.resumed": event("everyone", "Maintenance mode has ended.", {}),

  "user.updated": event(
    "group",
    "A profile changed: the user's own, or that of a member of a shared group.",
    { user: e.UserSchema },
  ),
  "account.updated": event(
    "self",
    "A private setting of the user's account changed: email address, language, second factor or OIDC login.",
    { user: e.OwnUserSchema },
  ),

  "role.created": event("group", "A new role in a group.", { role: e.RoleSchema }),
  "role.updated": event("group", "The name, color or permissions of a role changed.", {
    role: e.RoleSchema,
  }),
  "role.deleted": event("group", "A role was deleted and removed from all members.", {
    groupId: e.id,
    roleId: e.id,
  }),
  "role.reordered": event("group", "The order of the roles of a group changed.", {
    groupId: e.id,
    positions: z.array(z.object({ roleId: e.id, position: z.int() })),
  }),
  "emoji.added": event("group", "The group has a new emoji, sticker or GIF of its own.", {
    emoji: e.EmojiSchema,
  }),
  "emoji.renamed": event("group", "One of the group's own emoji, stickers or GIFs has a new name.", {
    emoji: e.EmojiSchema,
  }),
  "emoji.deleted": event("group", "One of the group's own emoji, stickers or GIFs was deleted.", {
    groupId: e.id,
    emojiId: e.id,
  }),
  "group.joined": event("self", "The user is now in this group.", {
    group: e.GroupSchema,
    channels: z.array(e.ChannelSchema),
  }),
  "group.left": event("self", "The user is no longer in this group.", {
    groupId: e.id,
    reason: z.enum(["left", "kicked", "banned", "deleted"]),
  }),
  "group.updated": event("group", "The name, owner, default role or other settings of the group changed.", {
    group: e.GroupSchema,
  }),
  "group.deleted": event("group", "The group was deleted.", { groupId: e.id }),
  "member.joined": event(
    "group",
    "Users joined the group. Joins are collected for a moment, and not all users are listed when many join.",
    { groupId: e.id, members: z.array(e.MemberSchema), memberCount: z.int() },
  ),
  "member.left": event(
    "group",
    "Users left the group or were kicked. Departures are collected for a moment, and not all users are listed when there are many.",
    {
      groupId: e.id,
      userIds: z.array(e.id),
      memberCount: z.int(),
      departures: z.array(e.MemberChangeSchema).describe("when they left"),
    },
  ),
  "member.updated": event(
    "group",
    "A member was muted or unmuted, or their roles, nickname or picture changed.",
    {
      member: e.MemberSchema,
    },
  ),

  "channel.created": event(
    "channel",
    "A new channel in a group, a new direct channel, or one that the user did not see before.",
    { channel: e.ChannelSchema },
  ),
  "channel.updated": event(
    "channel",
    "The name, topic, position, slow mode or permissions of a channel changed.",
    { channel: e.ChannelSchema },
  ),
  "channel.deleted": event("channel", "The channel was deleted, or the user can no longer see it.", {
    groupId: e.id.nullable(),
    channelId: e.id,
  }),
  "channel.closed": event("self", "The user closed a direct channel. The next message opens it again.", {
    channelId: e.id,
  }),
  "channel.reordered": event("channel", "The order of the channels of a group changed.", {
    groupId: e.id,
    places: z.array(e.ChannelPlaceSchema),
  }),
  "readMarker.updated": event("self", "Another session of the user has read up to here.", {
    channelId: e.id,
    lastReadSeq: e.seq,
  }),
  "readMarker.lowered": event("self", "The user marked everything after this message as unread.", {
    channelId: e.id,
    lastReadSeq: e.seq,
  }),

  "call.updated": event(
    "channel",
    "A call started, or users joined, left or changed what they share. Changes are collected for a second.",
    { call: e.OngoingCallSchema },
  ),
  "speaking.changed": event(
    "channel",
    "Users started to speak in a call, still speak, or stopped. Changes are collected for a second; if there are many calls, only some are " +
      "reported. Never stored.",
    {
      channelId: e.id,
      callId: e.id,
      speakers: z
        .array(z.object({ userId: e.id, isSpeaking: z.boolean() }))
        .max(LIMITS.callParticipantsShown),
      expiresInMs: z.int().describe("a speaker who isn't reported again has stopped"),
    },
  ),
  "call.ended": event("channel", "The call of a channel ended.", { channelId: e.id, callId: e.id }),
  "call.rang": event("self", "Another user rings: the user is asked to join a call.", {
    channelId: e.id,
    callId: e.id,
    fromUserId: e.id,
    untilAt: e.time.describe("when it stops ringing"),
  }),
  "call.ringEnded": event("self", "A call no longer rings. Sent to all devices of the user.", {
    channelId: e.id,
    callId: e.id,
    reason: z
      .enum(["answered", "declined", "timeout", "ended"])
      .describe("answered, declined: by the user; timeout: they did not respond; ended: the call ended"),
  }),
  "ring.changed": event("self", "A user whom this user rings can be reached, responded, or did not.", {
    channelId: e.id,
    callId: e.id,
    userId: e.id,
    state: z
      .enum(["ringing", "answered", "declined", "timeout", "ended"])
      .describe("ended: the call ended before they responded"),
  }),
  "call.moved": event(
    "self",
    "A moderator moved the user to another voice channel: the client that was in the call calls call.join there.",
    { channelId: e.id, callId: e.id, toChannelId: e.id },
  ),

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
    "New messages of one channel, in the order of their rev; messages stored together come in one event. Can be missing or repeated: see /docs/build/protocol.html.",
    { channelId: e.id, messages: z.array(e.MessageSchema) },
  ),
  "message.changed": event("channel", "A message was edited, pinned or unpinned, or got its previews.", {
    message: e.MessageSchema,
  }),
  "reaction.changed": event(
    "channel",
    "The current reactions of a message. Reactions are collected, so one event can cover several.",
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
  "message.deleted": event("channel", "A message was deleted. The event contains what is left of it.", {
    message: e.MessageSchema,
  }),

  "report.changed": event(
    "moderators",
    "A message was reported, or its reports were closed. Sent to those who can close them: call report.list or admin.listReports.",
    { groupId: e.id.nullable().describe("null: in a direct channel; sent to the admins of this server") },
  ),

  "joinRequest.changed": event(
    "moderators",
    "A user asked to join the group, or requests were closed. Sent to those who can approve them: call join.list.",
    { groupId: e.id },
  ),
  "joinRequest.updated": event("self", "The user asked to join a group, or was rejected.", {
    request: e.OwnJoinRequestSchema,
  }),
  "joinRequest.removed": event(
    "self",
    "The user's request to join a group was approved, withdrawn or deleted.",
    {
      groupId: e.id,
    },
  ),

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

  "plugin.published": event(
    "channel",
    "The server of a plug-in has new data for its program in the page. Of data with the same key, some can be left out. Never stored.",
    { channelId: e.id, plugin: z.string(), key: z.string(), data: z.unknown() },
  ),

  "command.invoked": event("self", "Sent to a bot when a user runs one of its commands.", {
    invocation: e.InvocationSchema,
  }),
  "interaction.created": event(
    "self",
    "Sent to a bot when a user presses a button or chooses an option under one of its messages. Call interaction.acknowledge within 3 s.",
    { interaction: e.InteractionSchema },
  ),
  "modal.opened": event(
    "self",
    "A bot has opened a dialog. Show it only where the user has run the command or pressed the button with this id; it can come before the call returns.",
    { modal: e.OpenedModalSchema },
  ),
  "modal.submitted": event(
    "self",
    "Sent to a bot when a user submits its modal. Call interaction.acknowledge within 3 s, perhaps with errors.",
    { submission: e.ModalSubmissionSchema },
  ),
  "ephemeral.created": event("self", "A message of a bot that only this user sees. It is not stored.", {
    ephemeral: e.EphemeralSchema,
  }),
  "bot.disabled": event(
    "self",
    "Sent to the creator of a bot whose callbacks were disabled after too many failures.",
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
  "draft.changed": event("self", "The user has changed a draft, sent it or removed it.", {
    draft: e.DraftSchema,
  }),
  "saved.added": event("self", "The user saved a message for later, or changed its reminder.", {
    saved: e.SavedMessageSchema,
  }),
  "saved.removed": event("self", "The user removed a message from those saved for later.", {
    messageId: e.id,
  }),
  "saved.reminded": event("self", "It is time for the reminder of a saved message.", {
    saved: e.SavedMessageSchema,
  }),
  "scheduled.changed": event("self", "The user scheduled a message or changed it, or it could not be sent.", {
    scheduled: e.ScheduledMessageSchema,
  }),
  "scheduled.removed": event("self", "A scheduled message was sent, or removed by the user.", {
    scheduledId: e.id,
  }),
  "thread.followed": event("self", "The user now follows a thread, so `channel.listUnread` includes it.", {
    channelId: e.id,
  }),

  "notification.updated": event("self", "The user's own settings for a group or a channel changed.", {
    setting: e.NotificationSettingSchema,
  }),
  "notification.configured": event("self", "The user's notification preferences changed.", {
    preferences: e.NotificationPreferencesSchema,
  }),
} satisfies Record<string, EventDefinition>;

export type EventName = keyof typeof EVENTS;
export type EventPayload<N extends EventName> = z.output<(typeof EVENTS)[N]["payload"]>;

/** The Socket.IO listener map of a client. */
export type ServerToClientEvents = { [N in EventName]: (payload: EventPayload<N>) => void };

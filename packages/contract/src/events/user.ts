import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const userEvents = {
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
};

export const friendEvents = {
  "friend.requested": event("self", "A friend request was received or sent.", {
    request: e.FriendRequestSchema,
  }),
  "friend.added": event("self", "A friend request was accepted, and is no longer pending.", {
    friend: e.FriendSchema,
  }),
  "friend.removed": event("self", "A friend was removed, or a friend request was declined or withdrawn.", {
    userId: e.id,
  }),
};

export const presenceEvents = {
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
};

export const notificationEvents = {
  "notification.updated": event("self", "The user's notification settings changed.", {
    setting: e.NotificationSettingSchema,
  }),
};

export const inboxEvents = {
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
};

export const botEvents = {
  "command.invoked": event("self", "Sent to a bot when a user runs one of its commands.", {
    invocation: e.InvocationSchema,
  }),
  "bot.disabled": event(
    "self",
    "To who has made a bot: its callbacks have failed too often, and are not tried any more.",
    { groupId: e.id, botId: e.id, lastError: z.string() },
  ),
};

import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const userEvents = {
  "user.updated": event({
    summary: "A profile changed: the user's own, or that of a member of a shared group.",
    audience: "group",
    payload: z.object({ user: e.UserSchema }),
  }),
  "account.updated": event({
    summary:
      "A private setting of the user's account changed: e-mail address, language, second factor or OIDC login.",
    audience: "self",
    payload: z.object({ user: e.OwnUserSchema }),
  }),
};

export const friendEvents = {
  "friend.requested": event({
    summary: "A friend request was received or sent.",
    audience: "self",
    payload: z.object({ request: e.FriendRequestSchema }),
  }),
  "friend.added": event({
    summary: "A friend request was accepted, and is no longer pending.",
    audience: "self",
    payload: z.object({ friend: e.FriendSchema }),
  }),
  "friend.removed": event({
    summary: "A friend was removed, or a friend request was declined or withdrawn.",
    audience: "self",
    payload: z.object({ userId: e.id }),
  }),
};

export const presenceEvents = {
  "presence.changed": event({
    summary: "The presence of watched users changed. Changes are collected for a second.",
    audience: "watchers",
    payload: z.object({ presences: z.array(e.PresenceSchema) }),
  }),
  "typing.started": event({
    summary:
      "A user is typing, until `expiresInMs` has passed or their message arrives. In busy channels only some users are reported.",
    audience: "channel",
    payload: z.object({ channelId: e.id, userId: e.id, expiresInMs: z.int() }),
  }),
};

export const notificationEvents = {
  "notification.updated": event({
    summary: "The user's notification settings changed.",
    audience: "self",
    payload: z.object({ setting: e.NotificationSettingSchema }),
  }),
};

export const inboxEvents = {
  "inbox.added": event({
    summary:
      "A message mentions the user by name, or replies to one of theirs. Role mentions and @everyone are part of `message.created`.",
    audience: "self",
    payload: z.object({ message: e.MessageSchema, groupId: e.id.nullable() }),
  }),
  "inbox.updated": event({
    summary: "Another session of the user has read the inbox, or cleared it.",
    audience: "self",
    payload: z.object({ marker: e.InboxMarkerSchema }),
  }),
  "thread.followed": event({
    summary: "The user now follows a thread, so `channel.listUnread` includes it.",
    audience: "self",
    payload: z.object({ channelId: e.id }),
  }),
};

export const botEvents = {
  "command.invoked": event({
    summary: "Sent to a bot when a user runs one of its commands.",
    audience: "self",
    payload: z.object({ invocation: e.InvocationSchema }),
  }),
  "bot.disabled": event({
    summary: "To who has made a bot: its callbacks have failed too often, and are not tried any more.",
    audience: "self",
    payload: z.object({ groupId: e.id, botId: e.id, lastError: z.string() }),
  }),
};

import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const userEvents = {
  "user.updated": event({
    summary: "A profile changed: one's own, or that of somebody in a common group.",
    audience: "group",
    payload: z.object({ user: e.UserSchema }),
  }),
  "account.updated": event({
    summary:
      "What only the user sees of the own account has changed: its address, language, second factor or OIDC login.",
    audience: "self",
    payload: z.object({ user: e.OwnUserSchema }),
  }),
};

export const friendEvents = {
  "friend.requested": event({
    summary: "Somebody asks the user to be a friend, or the user has asked.",
    audience: "self",
    payload: z.object({ request: e.FriendRequestSchema }),
  }),
  "friend.added": event({
    summary: "A request was accepted: the two are friends, and the request is none any more.",
    audience: "self",
    payload: z.object({ friend: e.FriendSchema }),
  }),
  "friend.removed": event({
    summary: "The two are no friends any more, or the request between them is gone.",
    audience: "self",
    payload: z.object({ userId: e.id }),
  }),
};

export const presenceEvents = {
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
};

export const notificationEvents = {
  "notification.updated": event({
    summary: "The user wants to be notified of something in another way.",
    audience: "self",
    payload: z.object({ setting: e.NotificationSettingSchema }),
  }),
};

export const inboxEvents = {
  "inbox.added": event({
    summary:
      "A message mentions the user by name, or answers one of the user's. Mentions of roles and of everybody are seen by `message.created`.",
    audience: "self",
    payload: z.object({ message: e.MessageSchema, groupId: e.id.nullable() }),
  }),
  "inbox.updated": event({
    summary: "Another session of the user has read the inbox, or cleared it.",
    audience: "self",
    payload: z.object({ marker: e.InboxMarkerSchema }),
  }),
};

export const botEvents = {
  "command.invoked": event({
    summary: "To a bot: somebody has written one of its commands.",
    audience: "self",
    payload: z.object({ invocation: e.InvocationSchema }),
  }),
  "bot.disabled": event({
    summary: "To who has made a bot: its callbacks have failed too often, and are not tried any more.",
    audience: "self",
    payload: z.object({ groupId: e.id, botId: e.id, lastError: z.string() }),
  }),
};

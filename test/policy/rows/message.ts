import type { World } from "@fanfare/testing";
import { row, freshName, messageOf, type Exceptions } from "../row.ts";

const thumbOf = (world: World) => ({ ...messageOf(world), emoji: "👍" });
const managersOnly: Exceptions = {
  why: "the rule lets the author in too, and the message is another user's",
  member: "FORBIDDEN",
  guest: "FORBIDDEN",
  muted: "FORBIDDEN",
  bot: "FORBIDDEN",
};

export const messageRows = {
  "message.send": row("message.send", ({ channel }) => ({
    channelId: channel.id,
    content: "Hello",
    nonce: freshName(),
  })),
  "message.edit": row("message.edit", (world) => ({ ...messageOf(world), content: "Changed" }), {
    why: "only its author can edit a message, not even the group's owner",
    allowed: "FORBIDDEN",
  }),
  "message.sendEphemeral": row(
    "message.sendEphemeral",
    ({ channel, member }) => ({ channelId: channel.id, userId: member.userId, content: "For you" }),
    { why: "only bots can call it", allowed: "BOTS_ONLY", bot: "ok" },
  ),
  "message.delete": row("message.delete", messageOf, managersOnly),
  "message.listEdits": row("message.listEdits", messageOf, managersOnly),
  "message.endPoll": row(
    "message.endPoll",
    ({ channel, message }) => ({ channelId: channel.id, messageId: message.id }),
    {
      why: "the message is no poll",
      allowed: "MESSAGE_NOT_FOUND",
    },
  ),
  "message.react": row("message.react", thumbOf),
  "message.unreact": row("message.unreact", thumbOf),
  "message.listReactors": row("message.listReactors", thumbOf),
  "message.listReaders": row("message.listReaders", messageOf),
  "message.listOwnReactions": row("message.listOwnReactions", ({ channel, message }) => ({
    channelId: channel.id,
    messageIds: [message.id],
  })),
  "message.pin": row("message.pin", messageOf, managersOnly),
  "message.unpin": row("message.unpin", messageOf, managersOnly),
  "message.listPins": row("message.listPins", ({ channel }) => ({ channelId: channel.id })),
  "message.search": row("message.search", ({ channel }) => ({ channelId: channel.id, text: "hello" }), {
    why: "any session can search, because the search can cover all channels; the handler checks this channel",
    stranger: "CHANNEL_NOT_FOUND",
    banned: "CHANNEL_NOT_FOUND",
    admin: "CHANNEL_NOT_FOUND",
  }),
  "message.get": row("message.get", messageOf),
  "message.list": row("message.list", ({ channel }) => ({ channelId: channel.id })),
};

import { row, outcomes, inChannel, channelOwner, freshName, messageOf } from "../row.ts";

export const messageRows = {
  "message.send": row("message.send", { ...inChannel, muted: "MUTED" }, ({ channel }) => ({
    channelId: channel.id,
    content: "Hello",
    nonce: freshName(),
  })),
  // The message is somebody else's: only its author may edit it, not even the owner of the group.
  "message.edit": row(
    "message.edit",
    outcomes("UNAUTHENTICATED", "CHANNEL_NOT_FOUND", "FORBIDDEN", "MUTED", "FORBIDDEN"),
    (world) => ({ ...messageOf(world), content: "Changed" }),
  ),
  "message.delete": row("message.delete", channelOwner, messageOf),
  "message.listEdits": row("message.listEdits", channelOwner, messageOf),
  "message.react": row("message.react", { ...inChannel, muted: "MUTED" }, (world) => ({
    ...messageOf(world),
    emoji: "👍",
  })),
  "message.unreact": row("message.unreact", inChannel, (world) => ({ ...messageOf(world), emoji: "👍" })),
  "message.listReactors": row("message.listReactors", inChannel, (world) => ({
    ...messageOf(world),
    emoji: "👍",
  })),
  "message.listOwnReactions": row("message.listOwnReactions", inChannel, ({ channel, message }) => ({
    channelId: channel.id,
    messageIds: [message.id],
  })),
  "message.pin": row("message.pin", channelOwner, messageOf),
  "message.unpin": row("message.unpin", channelOwner, messageOf),
  "message.listPins": row("message.listPins", inChannel, ({ channel }) => ({ channelId: channel.id })),
  "message.search": row("message.search", inChannel, ({ channel }) => ({
    channelId: channel.id,
    text: "hello",
  })),
  "message.get": row("message.get", inChannel, messageOf),
  "message.list": row("message.list", inChannel, ({ channel }) => ({ channelId: channel.id })),
};

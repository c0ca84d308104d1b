import { row } from "../row.ts";

export const inboxRows = {
  "inbox.list": row("inbox.list", () => ({})),
  "inbox.getUnreadCount": row("inbox.getUnreadCount", () => ({})),
  "inbox.markRead": row("inbox.markRead", ({ message }) => ({ messageId: message.id })),
  "inbox.clear": row("inbox.clear", ({ message }) => ({ messageId: message.id })),
  "inbox.markGroupRead": row("inbox.markGroupRead", ({ group }) => ({ groupId: group.id })),
  "inbox.markAllRead": row("inbox.markAllRead", () => ({})),
  "scheduled.add": row("scheduled.add", ({ channel }) => ({
    channelId: channel.id,
    content: "later",
    sendAt: new Date(Date.now() + 3_600_000).toISOString(),
  })),
  "scheduled.change": row("scheduled.change", ({ message }) => ({ scheduledId: message.id }), {
    why: "they have no scheduled message",
    allowed: "SCHEDULED_NOT_FOUND",
  }),
  "scheduled.remove": row("scheduled.remove", ({ message }) => ({ scheduledId: message.id })),
  "scheduled.list": row("scheduled.list", () => ({})),
  "draft.set": row("draft.set", ({ channel }) => ({ channelId: channel.id, content: "so far" })),
  "draft.list": row("draft.list", () => ({})),
  "saved.add": row("saved.add", ({ channel, message }) => ({ channelId: channel.id, messageId: message.id })),
  "saved.remove": row("saved.remove", ({ message }) => ({ messageId: message.id })),
  "saved.list": row("saved.list", () => ({})),
  "saved.listMessages": row("saved.listMessages", () => ({})),
  "channel.listUnread": row("channel.listUnread", () => ({})),
  "channel.listFollowedThreads": row("channel.listFollowedThreads", () => ({})),
};

import { row } from "../row.ts";

export const inboxRows = {
  "inbox.list": row("inbox.list", () => ({})),
  "inbox.getUnreadCount": row("inbox.getUnreadCount", () => ({})),
  "inbox.markRead": row("inbox.markRead", ({ message }) => ({ messageId: message.id })),
  "inbox.clear": row("inbox.clear", ({ message }) => ({ messageId: message.id })),
  "inbox.markGroupRead": row("inbox.markGroupRead", ({ group }) => ({ groupId: group.id })),
  "inbox.markAllRead": row("inbox.markAllRead", () => ({})),
  "channel.listUnread": row("channel.listUnread", () => ({})),
};

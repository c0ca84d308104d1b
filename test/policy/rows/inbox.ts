import { inGroup, loggedIn, row } from "../row.ts";

export const inboxRows = {
  "inbox.list": row("inbox.list", loggedIn, () => ({})),
  "inbox.getUnreadCount": row("inbox.getUnreadCount", loggedIn, () => ({})),
  "inbox.markRead": row("inbox.markRead", loggedIn, ({ message }) => ({ messageId: message.id })),
  "inbox.clear": row("inbox.clear", loggedIn, ({ message }) => ({ messageId: message.id })),
  "inbox.markGroupRead": row("inbox.markGroupRead", inGroup, ({ group }) => ({ groupId: group.id })),
  "inbox.markAllRead": row("inbox.markAllRead", loggedIn, () => ({})),
  "channel.listUnread": row("channel.listUnread", loggedIn, () => ({})),
};

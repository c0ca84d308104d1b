import { row } from "../row.ts";

const outside = (code: "GROUP_NOT_FOUND" | "CHANNEL_NOT_FOUND") => ({
  why: "the target is a group or a channel, so the handler checks access",
  stranger: code,
  banned: code,
  admin: code,
});
/** In a browser's format; nothing is sent there. */
const subscription = {
  endpoint: "https://push.example.org/matrix",
  keys: { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) },
};

export const notificationRows = {
  "notification.get": row(
    "notification.get",
    ({ group }) => ({ groupId: group.id }),
    outside("GROUP_NOT_FOUND"),
  ),
  "notification.set": row(
    "notification.set",
    ({ channel }) => ({ channelId: channel.id, level: "all" }),
    outside("CHANNEL_NOT_FOUND"),
  ),
  "notification.list": row("notification.list", () => ({})),
  "notification.getPreferences": row("notification.getPreferences", () => ({})),
  "notification.setPreferences": row("notification.setPreferences", () => ({ keywords: ["launch"] })),
  "notification.unsubscribe": row("notification.unsubscribe", () => ({ token: "made up" }), {
    why: "the token is invalid",
    allowed: "INVALID_LINK",
  }),
  "push.getKey": row("push.getKey", () => ({})),
  "push.subscribe": row("push.subscribe", () => subscription),
  "push.unsubscribe": row("push.unsubscribe", ({ owner }) => ({
    endpoint: `https://push.example.org/${owner.userId}`,
  })),
  "push.list": row("push.list", () => ({})),
};

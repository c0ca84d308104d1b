import { row } from "../row.ts";

export const presenceRows = {
  // Leaves out users the caller has no relation to, tested in access-details.test.ts.
  "presence.watch": row("presence.watch", ({ target }) => ({ userIds: [target.userId] })),
  "presence.unwatch": row("presence.unwatch", ({ target }) => ({ userIds: [target.userId] })),
  "presence.setStatus": row("presence.setStatus", () => ({ status: "idle" })),
  "channel.typing": row("channel.typing", ({ channel }) => ({ channelId: channel.id })),
};

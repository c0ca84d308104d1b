import { row, loggedIn, inChannel } from "../row.ts";

export const presenceRows = {
  // Leaves out whom the caller has nothing to do with: matrix.test.ts looks at it more closely.
  "presence.watch": row("presence.watch", loggedIn, ({ target }) => ({ userIds: [target.userId] })),
  "presence.unwatch": row("presence.unwatch", loggedIn, ({ target }) => ({ userIds: [target.userId] })),
  "presence.setStatus": row("presence.setStatus", loggedIn, () => ({ status: "idle" })),
  "channel.typing": row("channel.typing", { ...inChannel, muted: "MUTED" }, ({ channel }) => ({
    channelId: channel.id,
  })),
};

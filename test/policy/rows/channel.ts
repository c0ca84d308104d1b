import { row, loggedIn, inGroup, inChannel, groupOwner, channelOwner } from "../row.ts";

export const channelRows = {
  "channel.create": row("channel.create", groupOwner, ({ group }) => ({ groupId: group.id, name: "new" })),
  "channel.update": row("channel.update", channelOwner, ({ channel }) => ({
    channelId: channel.id,
    name: "renamed",
  })),
  "channel.delete": row("channel.delete", channelOwner, ({ channel }) => ({ channelId: channel.id })),
  "channel.reorder": row("channel.reorder", groupOwner, ({ group, channel }) => ({
    groupId: group.id,
    places: [{ channelId: channel.id, sectionId: null, position: 3 }],
  })),
  "channel.listOverrides": row("channel.listOverrides", channelOwner, ({ channel }) => ({
    channelId: channel.id,
  })),
  "channel.setOverride": row("channel.setOverride", channelOwner, ({ channel }) => ({
    channelId: channel.id,
    target: { type: "everyone" },
    allow: 0,
    deny: 2,
  })),
  "channel.removeOverride": row("channel.removeOverride", channelOwner, ({ channel }) => ({
    channelId: channel.id,
    target: { type: "everyone" },
  })),
  "channel.list": row("channel.list", inGroup, ({ group }) => ({ groupId: group.id })),
  "channel.markRead": row("channel.markRead", inChannel, ({ channel }) => ({
    channelId: channel.id,
    seq: 1,
  })),
  // Answers "gone" for a channel that the caller does not see: matrix.test.ts looks at it more closely.
  "channel.sync": row("channel.sync", loggedIn, ({ channel }) => ({
    cursors: [{ channelId: channel.id, afterRev: 0 }],
  })),
};

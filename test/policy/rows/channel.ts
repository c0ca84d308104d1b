import { row } from "../row.ts";

export const channelRows = {
  "channel.create": row("channel.create", ({ group }) => ({ groupId: group.id, name: "new" })),
  "channel.update": row("channel.update", ({ channel }) => ({ channelId: channel.id, name: "renamed" })),
  "channel.delete": row("channel.delete", ({ channel }) => ({ channelId: channel.id })),
  "channel.reorder": row("channel.reorder", ({ group, channel }) => ({
    groupId: group.id,
    places: [{ channelId: channel.id, sectionId: null, position: 3 }],
  })),
  "channel.listOverrides": row("channel.listOverrides", ({ channel }) => ({ channelId: channel.id })),
  "channel.setOverride": row("channel.setOverride", ({ channel }) => ({
    channelId: channel.id,
    target: { type: "everyone" },
    allow: 0,
    deny: 2,
  })),
  "channel.removeOverride": row("channel.removeOverride", ({ channel }) => ({
    channelId: channel.id,
    target: { type: "everyone" },
  })),
  "channel.list": row("channel.list", ({ group }) => ({ groupId: group.id })),
  "channel.markRead": row("channel.markRead", ({ channel }) => ({ channelId: channel.id, seq: 1 })),
  "channel.markUnread": row("channel.markUnread", ({ channel }) => ({ channelId: channel.id, seq: 1 })),
  // Answers "gone" for an inaccessible channel, tested in access-details.test.ts.
  "channel.sync": row("channel.sync", ({ channel }) => ({
    cursors: [{ channelId: channel.id, afterRev: 0 }],
  })),
};

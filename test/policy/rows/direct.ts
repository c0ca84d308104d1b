import type { World } from "@fanfare/testing";
import { inChannel, loggedIn, outcomes, row } from "../row.ts";

const targetIn = ({ channel, target }: World) => ({ channelId: channel.id, userId: target.userId });
const notDirect = outcomes("UNAUTHENTICATED", "CHANNEL_NOT_FOUND", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN");

// The world's channel is one of a group. Who may do what in a direct one: services/group/test/group-direct.test.ts.
export const directRows = {
  "channel.openDirect": row("channel.openDirect", loggedIn, ({ target }) => ({ userId: target.userId })),
  "channel.listDirect": row("channel.listDirect", loggedIn, () => ({})),
  // Only members of a common group, or friends, are put into a channel of several.
  "channel.createGroupDirect": row(
    "channel.createGroupDirect",
    { ...loggedIn, stranger: "NOT_REACHABLE" },
    ({ target }) => ({ userIds: [target.userId] }),
  ),
  "channel.addToDirect": row("channel.addToDirect", notDirect, targetIn),
  "channel.removeFromDirect": row("channel.removeFromDirect", notDirect, targetIn),
  "channel.renameDirect": row("channel.renameDirect", { ...notDirect, muted: "MUTED" }, ({ channel }) => ({
    channelId: channel.id,
    name: "Renamed",
  })),
  "channel.closeDirect": row("channel.closeDirect", notDirect, ({ channel }) => ({ channelId: channel.id })),
  "channel.get": row("channel.get", inChannel, ({ channel }) => ({ channelId: channel.id })),
};

import type { World } from "@fanfare/testing";
import { row, type Exceptions } from "../row.ts";

const targetIn = ({ channel, target }: World) => ({ channelId: channel.id, userId: target.userId });
const channelOf = ({ channel }: World) => ({ channelId: channel.id });
// Permissions in direct channels are tested in services/group/test/group-direct.test.ts.
const notDirect: Exceptions = { why: "the channel belongs to a group", allowed: "FORBIDDEN" };

export const directRows = {
  "channel.openDirect": row("channel.openDirect", ({ target }) => ({ userId: target.userId })),
  "channel.listDirect": row("channel.listDirect", () => ({})),
  "channel.createGroupDirect": row(
    "channel.createGroupDirect",
    ({ target }) => ({ userIds: [target.userId] }),
    {
      why: "only members of a shared group and friends can be added to a group DM",
      stranger: "NOT_REACHABLE",
      banned: "NOT_REACHABLE",
      admin: "NOT_REACHABLE",
    },
  ),
  "channel.addToDirect": row("channel.addToDirect", targetIn, notDirect),
  "channel.removeFromDirect": row("channel.removeFromDirect", targetIn, notDirect),
  "channel.renameDirect": row(
    "channel.renameDirect",
    ({ channel }) => ({ channelId: channel.id, name: "Renamed" }),
    notDirect,
  ),
  "channel.closeDirect": row("channel.closeDirect", channelOf, notDirect),
  "channel.get": row("channel.get", channelOf),
};

import type { World } from "@fanfare/testing";
import { messageOf, row, type Exceptions } from "../row.ts";

const channelOf = ({ channel }: World) => ({ channelId: channel.id });
// Who can archive a thread is tested in test/integration/threads.test.ts.
const noThread: Exceptions = { why: "the channel is not a thread", allowed: "FORBIDDEN" };

export const threadRows = {
  "channel.openThread": row("channel.openThread", messageOf),
  "channel.listThreads": row("channel.listThreads", channelOf),
  "channel.archiveThread": row("channel.archiveThread", channelOf, noThread),
  "channel.unarchiveThread": row("channel.unarchiveThread", channelOf, noThread),
};

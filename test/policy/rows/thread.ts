import type { World } from "@fanfare/testing";
import { inChannel, messageOf, outcomes, row } from "../row.ts";

const channelOf = ({ channel }: World) => ({ channelId: channel.id });
// The world's channel is no thread. Who may put one away: threads.test.ts.
const noThread = outcomes("UNAUTHENTICATED", "CHANNEL_NOT_FOUND", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN");

export const threadRows = {
  "channel.openThread": row("channel.openThread", { ...inChannel, muted: "MUTED" }, messageOf),
  "channel.listThreads": row("channel.listThreads", inChannel, channelOf),
  "channel.archiveThread": row("channel.archiveThread", noThread, channelOf),
  "channel.unarchiveThread": row("channel.unarchiveThread", noThread, channelOf),
};

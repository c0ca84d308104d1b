import type { Handler } from "@fanfare/kernel";
import type { MessageDependencies } from "../message.dependencies.ts";

export function listHeads({ heads, markers }: MessageDependencies): Handler<"message.listHeads"> {
  return async ({ params: { userId, channelIds } }) => {
    if (channelIds.length === 0) return { heads: [] };
    const [found, read] = await Promise.all([
      heads.findMany(channelIds),
      markers.findMany(userId, channelIds),
    ]);
    const byChannel = new Map(found.map(({ _id, seq, rev }) => [_id.toHexString(), { seq, rev }]));
    // Nobody has to read what is not there any more.
    const removed = new Map(found.map(({ _id, retainedFrom = 1 }) => [_id.toHexString(), retainedFrom - 1]));
    return {
      heads: channelIds.map((channelId) => ({
        channelId,
        head: byChannel.get(channelId) ?? { seq: 0, rev: 0 },
        lastReadSeq: Math.max(read.get(channelId) ?? 0, removed.get(channelId) ?? 0),
      })),
    };
  };
}

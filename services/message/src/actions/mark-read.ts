import { userRoom } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { MessageDependencies } from "../message.dependencies.ts";

export function markRead({ heads, markers, node }: MessageDependencies): Handler<"channel.markRead"> {
  return async ({ params, actor }) => {
    const { channelId } = params;
    const head = await heads.find(channelId);
    const seq = Math.min(params.seq, head?.seq ?? 0);
    if (seq === 0) {
      const known = await markers.findMany(actor.userId, [channelId]);
      return { lastReadSeq: known.get(channelId) ?? 0 };
    }
    const before = await markers.advance(actor.userId, channelId, seq);
    if (before >= seq) return { lastReadSeq: before };
    node.publish(userRoom(actor.userId), "readMarker.updated", { channelId, lastReadSeq: seq });
    return { lastReadSeq: seq };
  };
}

import type { ChannelState } from "@fanfare/contract";

/** How many replies somebody has not read of a thread that he has looked into; others are no concern of his. */
export function unreadReplies({ head, lastReadSeq }: Pick<ChannelState, "head" | "lastReadSeq">): number {
  return lastReadSeq === 0 ? 0 : Math.max(0, head.seq - lastReadSeq);
}

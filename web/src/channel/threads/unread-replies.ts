import type { ChannelState } from "@fanfare/contract";

/** Unread replies of a thread that the user has opened; 0 for other threads. */
export function unreadReplies({ head, lastReadSeq }: Pick<ChannelState, "head" | "lastReadSeq">): number {
  return lastReadSeq === 0 ? 0 : Math.max(0, head.seq - lastReadSeq);
}

import type { ChannelSnapshot } from "@fanfare/client";
import { useState } from "react";

/** How many messages of others have come since the end of the channel was in view. */
export function useNewCount({ head, messages }: ChannelSnapshot, ownId: string, isAtEnd: boolean): number {
  const [seenSeq, setSeenSeq] = useState(head.seq);
  if (isAtEnd && seenSeq !== head.seq) setSeenSeq(head.seq);
  if (isAtEnd) return 0;
  const first = messages.findLastIndex(({ seq }) => seq <= seenSeq) + 1;
  return messages.slice(first).filter(({ authorId, deletedAt }) => authorId !== ownId && deletedAt === null)
    .length;
}

import type { ChannelView } from "@fanfare/client";
import { useEffect, useState } from "react";

export interface UnreadMark {
  /** Up to where was read before; null: nothing is marked as unread. */
  readUpTo: number | null;
  /** How many messages came since then, as it was when the channel was opened. */
  count: number;
  dismiss: () => void;
}

/**
 * Where the unread messages begin: as the channel was when it was opened, and anew where one looked away.
 * @param lastReadSeq what the server says was read
 */
export function useUnreadMark(view: ChannelView, lastReadSeq: number): UnreadMark {
  const [mark, setMark] = useState<{ readUpTo: number | null; count: number }>(() => ({
    readUpTo: Math.max(lastReadSeq, view.snapshot.lastReadSeq),
    count: -1,
  }));
  const { head, status } = view.snapshot;
  // How many there are is known as soon as the channel is loaded.
  if (mark.count < 0 && status === "ready") {
    setMark(({ readUpTo }) => ({ readUpTo, count: readUpTo === 0 ? 0 : head.seq - (readUpTo ?? head.seq) }));
  }
  useEffect(() => {
    const lookAway = () => {
      if (view.snapshot.lastReadSeq < view.head.seq) return;
      setMark({ readUpTo: view.head.seq, count: 0 });
    };
    addEventListener("blur", lookAway);
    return () => removeEventListener("blur", lookAway);
  }, [view]);
  const dismiss = () => {
    setMark({ readUpTo: null, count: 0 });
    // The next message tries again.
    view.markRead(view.head.seq).catch(() => undefined);
  };
  return { readUpTo: mark.readUpTo, count: Math.max(0, mark.count), dismiss };
}

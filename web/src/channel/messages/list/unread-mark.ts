import type { ChannelSnapshot, ChannelView } from "@fanfare/client";
import { useEffect, useState } from "react";
import { useReadUpTo } from "../../../data/store.ts";

interface Mark {
  /** The last read seq when the channel was opened; null if nothing is marked as unread. */
  readUpTo: number | null;
  /** The unread count when the channel was opened; null until the channel is up to date. */
  count: number | null;
}

interface UnreadMark extends Mark {
  dismiss: () => void;
}

/** Marks where the unread messages begin. It is fixed when the channel is opened, and set again after the window was hidden. */
export function useUnreadMark(view: ChannelView): UnreadMark {
  const { lastReadSeq, isOutdated } = useReadUpTo(view.channelId);
  const { snapshot } = view;
  const [mark, setMark] = useState<Mark>({ readUpTo: null, count: null });
  const next = nextMark(mark, snapshot, lastReadSeq, isOutdated);
  if (next !== mark) setMark(next);
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
    // Retried with the next message.
    view.markRead(view.head.seq).catch(() => undefined);
  };
  return { ...next, dismiss };
}

/**
 * The mark is fixed once the channel and its last read message are up to date: both may have been shown from an earlier visit.
 * @param isStateOutdated whether `lastReadSeq` may be from an earlier visit
 */
export function nextMark(
  mark: Mark,
  { head, status, isOutdated, lastReadSeq: readHere }: ChannelSnapshot,
  lastReadSeq: number,
  isStateOutdated: boolean,
): Mark {
  if (mark.count !== null) return mark;
  const readUpTo = Math.max(lastReadSeq, readHere);
  if (status === "ready" && !isOutdated && !isStateOutdated)
    return { readUpTo, count: readUpTo === 0 ? 0 : head.seq - readUpTo };
  return mark.readUpTo === readUpTo ? mark : { readUpTo, count: null };
}

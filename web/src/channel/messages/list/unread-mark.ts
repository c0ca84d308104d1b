import type { ChannelSnapshot, ChannelView } from "@fanfare/client";
import { useEffect, useState } from "react";
import { useReadUpTo } from "../../../data/store.ts";

interface Mark {
  /** The last read seq when the channel was opened; null if nothing is marked as unread. */
  readUpTo: number | null;
  /** The unread count when the channel was opened; null until the channel is up to date. */
  count: number | null;
  /** What the user marked as unread; if it was here, it stays unread until they leave the channel or mark it as read. */
  markedUnread: ChannelSnapshot["markedUnread"];
  isKept: boolean;
}

interface UnreadMark extends Mark {
  dismiss: () => void;
}

/**
 * Marks where the unread messages begin. It is fixed when the channel is opened, and set again after the window was hidden, or by
 * the user.
 * @param snapshot the one that is rendered: a newer one would fix the mark before its messages are there
 */
export function useUnreadMark(view: ChannelView, snapshot: ChannelSnapshot): UnreadMark {
  const { lastReadSeq, isOutdated } = useReadUpTo(view.channelId);
  const [mark, setMark] = useState<Mark>(() => ({
    readUpTo: null,
    count: null,
    markedUnread: snapshot.markedUnread,
    isKept: false,
  }));
  const next = nextMark(mark, snapshot, lastReadSeq, isOutdated);
  if (next !== mark) setMark(next);
  useEffect(() => {
    const lookAway = () => {
      if (view.snapshot.lastReadSeq < view.head.seq) return;
      setMark((before) =>
        before.count === null ? before : { ...before, readUpTo: view.head.seq, count: 0 },
      );
    };
    addEventListener("blur", lookAway);
    return () => removeEventListener("blur", lookAway);
  }, [view]);
  const dismiss = () => {
    setMark({ ...mark, readUpTo: null, count: 0, isKept: false });
    // The view repeats it after a reconnect.
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
  { head, status, isOutdated, lastReadSeq: readHere, markedUnread }: ChannelSnapshot,
  lastReadSeq: number,
  isStateOutdated: boolean,
): Mark {
  if (markedUnread !== mark.markedUnread) {
    if (markedUnread === null) return { ...mark, markedUnread, isKept: false };
    const readUpTo = markedUnread.seq - 1;
    return { readUpTo, count: head.seq - readUpTo, markedUnread, isKept: true };
  }
  if (mark.count !== null) return mark;
  const readUpTo = Math.max(lastReadSeq, readHere);
  if (status === "ready" && !isOutdated && !isStateOutdated)
    return { ...mark, readUpTo, count: readUpTo === 0 ? 0 : head.seq - readUpTo };
  return mark.readUpTo === readUpTo ? mark : { ...mark, readUpTo };
}

import type { ChannelSnapshot, ChannelView } from "@fanfare/client";
import { useEffect } from "react";

/** At most one call in this time, however fast messages come. */
const MARK_AFTER_MS = 1000;

/** What is shown in a window that is looked at is read. */
export function useReadMarker(view: ChannelView, { status, head }: ChannelSnapshot): void {
  const { seq } = head;
  useEffect(() => {
    if (status !== "ready" || seq === 0) return undefined;
    const mark = () => {
      if (document.visibilityState !== "visible") return;
      // The next message tries again.
      view.markRead(view.head.seq).catch(() => undefined);
    };
    const timer = setTimeout(mark, MARK_AFTER_MS);
    document.addEventListener("visibilitychange", mark);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", mark);
    };
  }, [view, status, seq]);
}

import { Reply } from "lucide-react";
import { type RefObject, useRef } from "react";
import { followFinger, useSwipe } from "../../../ui/swipe.ts";

/** Beyond this, a row follows more slowly. */
const FREE_PX = 64;
const SLOWDOWN = 4;

interface SwipeToReplyProps {
  list: RefObject<HTMLElement | null>;
  /** The reply to a message; undefined if the user can't. */
  replyTo: (messageId: string) => (() => void) | undefined;
}

/** Replies to a message that is swiped to where the line begins. Shows a sign where the row has been. */
export function SwipeToReply({ list, replyTo }: SwipeToReplyProps) {
  const sign = useRef<HTMLSpanElement>(null);
  useSwipe(list, "start", (target) => {
    const row = target.closest<HTMLElement>("[data-message-id]");
    const reply = replyTo(row?.dataset["messageId"] ?? "");
    const { current } = sign;
    if (row === null || reply === undefined || current === null) return null;
    const finger = followFinger(row, "start");
    const { top, height } = row.getBoundingClientRect();
    current.style.top = `${top + height / 2 - current.parentElement!.getBoundingClientRect().top}px`;
    return {
      onMove(px, progress) {
        finger.move(px <= FREE_PX ? px : FREE_PX + (px - FREE_PX) / SLOWDOWN);
        current.style.opacity = String(Math.min(1, progress));
        current.toggleAttribute("data-enough", progress >= 1);
      },
      onEnd(isDone) {
        finger.release();
        current.style.opacity = "0";
        if (isDone) reply();
      },
    };
  });
  return (
    <span
      ref={sign}
      aria-hidden
      className="pointer-events-none absolute end-4 flex size-9 -translate-y-1/2 items-center justify-center rounded-full bg-hover text-muted opacity-0 transition-colors data-enough:bg-accent data-enough:text-on-accent"
    >
      <Reply size={20} />
    </span>
  );
}

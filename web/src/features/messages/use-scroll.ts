import { type RefObject, useLayoutEffect, useRef } from "react";

/** Nearer than this to the bottom, the newest message is followed. */
const FOLLOW_WITHIN_PX = 80;

/**
 * Keeps what is read in its place: at the bottom new messages push up; further up, messages that come before or after
 * move nothing. Returns the frame's ref, and what to call when it was scrolled.
 * @param firstSeq the number of the first message shown
 */
export function useScroll(firstSeq: number): {
  frame: RefObject<HTMLDivElement | null>;
  rememberPlace: () => void;
} {
  const frame = useRef<HTMLDivElement>(null);
  const atBottom = useRef(true);
  const last = useRef({ firstSeq: 0, height: 0 });

  useLayoutEffect(() => {
    const element = frame.current!;
    const { firstSeq: oldFirst, height } = last.current;
    if (atBottom.current) element.scrollTop = element.scrollHeight;
    else if (firstSeq < oldFirst) element.scrollTop += element.scrollHeight - height;
    last.current = { firstSeq, height: element.scrollHeight };
  });

  // The frame also grows and shrinks with the window and the field to write in.
  useLayoutEffect(() => {
    const element = frame.current!;
    const observer = new ResizeObserver(() => {
      if (atBottom.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const rememberPlace = () => {
    const { scrollTop, scrollHeight, clientHeight } = frame.current!;
    atBottom.current = scrollHeight - scrollTop - clientHeight < FOLLOW_WITHIN_PX;
  };
  return { frame, rememberPlace };
}

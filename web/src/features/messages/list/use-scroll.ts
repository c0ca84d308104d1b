import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import { useHeldRow } from "./use-held-row.ts";
import type { Rows } from "./use-rows.ts";

/** Nearer than this to the end, the newest message is followed by who scrolls down. */
const STICK_WITHIN_PX = 60;
/** Fractions of pixels are lost on the way. */
const TOUCHES_WITHIN_PX = 2;
/** Nearer than this to either end, the next page is loaded. */
const LOAD_WITHIN_PX = 1500;
/** After this all rows in view have been measured. */
const SETTLED_MS = 300;
/** Where the first unread message comes to stand. */
const UNREAD_AT_PX = 96;

interface ScrollOptions {
  rows: Rows;
  /** Whether the last row is the newest message. */
  isLive: boolean;
  loadOlder: () => void;
  loadNewer: () => void;
}

export interface Scroll {
  frame: RefObject<HTMLDivElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  /** Whether the last row is in view, and followed where it is the newest message. */
  isAtEnd: boolean;
  /** The rows in view, as of the last rest. */
  inView: { first: number; last: number };
  /** Whether a row that was jumped to is held in place because the user hasn't scrolled since. */
  isHeld: () => boolean;
  onScroll: () => void;
  onScrollEnd: () => void;
  onResize: () => void;
  toEnd: () => void;
  toRow: (index: number, align: "center" | "nearest") => void;
}

/**
 * Keeps what is read in its place: at the end new messages push up; elsewhere, what comes before, after or grows moves nothing.
 * Begins at the first unread message, or at the end.
 */
export function useScroll({ rows: { rows, place }, isLive, loadOlder, loadNewer }: ScrollOptions): Scroll {
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const sticks = useRef(true);
  const lastTop = useRef(0);
  const shownPlace = useRef(-1);
  const wasLive = useRef(isLive);
  const heldRow = useHeldRow(frame, list);
  const [isAtEnd, setAtEnd] = useState(true);
  const [inView, setInView] = useState({ first: 0, last: 0 });
  // Not by virtua's own way to an index, which goes on for a while: who scrolls up meanwhile would be drawn back.
  const follow = useCallback(() => {
    const { current } = frame;
    if (current !== null && sticks.current) current.scrollTop = current.scrollHeight;
  }, []);

  const toEnd = useCallback(() => {
    heldRow.release();
    sticks.current = true;
    follow();
  }, [heldRow, follow]);

  const look = useCallback(() => {
    const handle = list.current;
    if (handle === null) return;
    const first = handle.findItemIndex(handle.scrollOffset);
    const end = handle.findItemIndex(handle.scrollOffset + handle.viewportSize - 1);
    setInView((now) => (now.first === first && now.last === end ? now : { first, last: end }));
  }, []);

  const noteEnd = useCallback(() => {
    const { current } = frame;
    if (current === null) return;
    const isUp = current.scrollTop < lastTop.current;
    lastTop.current = current.scrollTop;
    // Who scrolls up leaves the end at once: to be drawn back to it would be a fight.
    sticks.current = fromEnd(current) < (isUp ? TOUCHES_WITHIN_PX : STICK_WITHIN_PX);
    setAtEnd(sticks.current);
  }, []);

  useLayoutEffect(() => {
    if (rows.length === 0) return;
    if (shownPlace.current === -1) {
      shownPlace.current = place;
      const unread = rows.findIndex(({ kind }) => kind === "unread");
      if (unread < 0) {
        toEnd();
      } else {
        sticks.current = false;
        heldRow.hold(rows, unread, { align: "start", offset: -UNREAD_AT_PX });
        // Where all of them fit nothing is scrolled, and the end is in view.
        setTimeout(noteEnd, SETTLED_MS);
      }
    } else {
      // The end of what is past is not the end of the channel, even where the two have just met.
      if (!wasLive.current && shownPlace.current === place) sticks.current = false;
      shownPlace.current = place;
      if (!heldRow.restore(rows) && isLive) follow();
    }
    wasLive.current = isLive;
    look();
  }, [rows, place, isLive, heldRow, toEnd, follow, look, noteEnd]);

  const onScroll = () => {
    const element = frame.current;
    if (element === null) return;
    noteEnd();
    if (element.scrollTop < LOAD_WITHIN_PX) loadOlder();
    if (fromEnd(element) < LOAD_WITHIN_PX) loadNewer();
  };

  const onResize = () => {
    if (heldRow.restore(rows) || !isLive) return;
    follow();
    // What has grown may be on the page a moment later only.
    requestAnimationFrame(follow);
  };

  const toRow = useCallback(
    (index: number, align: "center" | "nearest") => {
      if (align === "nearest") return list.current?.scrollToIndex(index, { align });
      sticks.current = false;
      heldRow.hold(rows, index, { align });
    },
    [rows, heldRow],
  );

  return {
    frame,
    list,
    isAtEnd,
    inView,
    isHeld: heldRow.isHeld,
    onScroll,
    onScrollEnd: look,
    onResize,
    toEnd,
    toRow,
  };
}

function fromEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

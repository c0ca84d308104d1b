import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import type { Rows } from "./use-rows.ts";

/** Nearer than this to the end, the newest message is followed. */
const STICK_WITHIN_PX = 60;
/** Nearer than this to either end, the next page is loaded. */
const LOAD_WITHIN_PX = 1500;
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
  /** Whether the newest message is in view, and followed. */
  isAtEnd: boolean;
  /** The rows in view, as of the last rest. */
  inView: { first: number; last: number };
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
  const shownPlace = useRef(-1);
  const [isAtEnd, setAtEnd] = useState(true);
  const [inView, setInView] = useState({ first: 0, last: 0 });
  const last = rows.length;

  const toEnd = useCallback(() => {
    sticks.current = true;
    // One row after the last message is the room below it.
    list.current?.scrollToIndex(last, { align: "end" });
  }, [last]);

  const look = useCallback(() => {
    const handle = list.current;
    if (handle === null) return;
    const first = handle.findItemIndex(handle.scrollOffset);
    const end = handle.findItemIndex(handle.scrollOffset + handle.viewportSize - 1);
    setInView((now) => (now.first === first && now.last === end ? now : { first, last: end }));
  }, []);

  useLayoutEffect(() => {
    if (rows.length === 0) return;
    if (shownPlace.current === -1) {
      shownPlace.current = place;
      const unread = rows.findIndex(({ kind }) => kind === "unread");
      if (unread < 0) toEnd();
      else list.current?.scrollToIndex(unread, { align: "start", offset: -UNREAD_AT_PX });
    } else if (shownPlace.current !== place) {
      shownPlace.current = place;
      if (sticks.current && isLive) toEnd();
    } else if (sticks.current && isLive) {
      toEnd();
    }
    look();
  }, [rows, place, isLive, toEnd, look]);

  const onScroll = () => {
    const element = frame.current;
    if (element === null) return;
    const toBottom = element.scrollHeight - element.scrollTop - element.clientHeight;
    sticks.current = toBottom < STICK_WITHIN_PX;
    if (element.scrollTop < LOAD_WITHIN_PX) loadOlder();
    if (toBottom < LOAD_WITHIN_PX) loadNewer();
    setAtEnd(sticks.current && isLive);
  };

  const onResize = () => {
    if (sticks.current && isLive) toEnd();
  };

  const toRow = useCallback((index: number, align: "center" | "nearest") => {
    if (align === "center") sticks.current = false;
    list.current?.scrollToIndex(index, { align });
  }, []);

  return { frame, list, isAtEnd, inView, onScroll, onScrollEnd: look, onResize, toEnd, toRow };
}

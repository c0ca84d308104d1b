import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import { HEAD_HEIGHT_PX } from "./list-head.tsx";
import type { Rows } from "./use-rows.ts";
import type { Row } from "./rows.ts";

/** Within this distance from the end, scrolling down starts following new messages. */
const FOLLOW_WITHIN_PX = 60;
/** Tolerance for fractional pixels. */
const TOUCHES_WITHIN_PX = 2;
/** Within this distance from an end, the next page is loaded. */
const LOAD_WITHIN_PX = 1500;
/** After this time, all visible rows have been measured. */
const SETTLED_MS = 300;
/** Offset of the first unread message from the top. */
const UNREAD_AT_PX = 96;
/** Space below the last row. */
export const END_HEIGHT_PX = 20;

interface ScrollOptions {
  rows: Rows;
  /** Whether the position of the first unread message is final. Until then, the list can show an earlier visit. */
  isUnreadKnown: boolean;
  isLive: boolean;
  loadOlder: () => void;
  loadNewer: () => void;
}

export interface Scroll {
  frame: RefObject<HTMLDivElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  /** Whether the last row is visible. If it is the newest message, the list follows the end. */
  isAtEnd: boolean;
  /** The last row that is visible now; Infinity if the list follows the end, -1 if there is none. */
  lastInView: () => number;
  /** Whether the target of a jump is still kept in place because the user hasn't scrolled since. */
  isHeld: () => boolean;
  onScroll: () => void;
  onResize: () => void;
  toEnd: () => void;
  toRow: (index: number, align: "center" | "nearest") => void;
}

/**
 * Keeps the reading position: at the end, the list follows new messages; elsewhere, rows that are added or grow move nothing.
 * Starts at the first unread message, or at the end.
 */
export function useScroll(options: ScrollOptions): Scroll {
  const {
    rows: { rows, place, isFinished },
    isUnreadKnown,
    isLive,
    loadOlder,
    loadNewer,
  } = options;
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const isFollowing = useRef(true);
  const last = useRef({ scrollTop: 0, scrollHeight: 0, clientHeight: 0 });
  const shownPlace = useRef(-1);
  /** Until the first unread message is known, each change of the rows moves the list to where it opens, unless something else moves it. */
  const isOpening = useRef(true);
  const wasLive = useRef(isLive);
  const heldRow = useHeldRow(frame, list);
  const [isAtEnd, setAtEnd] = useState(true);
  // Not virtua's `scrollToIndex`: it keeps adjusting for a while and would pull back a user who scrolls up.
  const follow = useCallback(() => {
    const { current } = frame;
    if (current === null || !isFollowing.current) return;
    current.scrollTop = current.scrollHeight;
    // If there is less to scroll now, that isn't the user scrolling up, even if rows are added before the scroll event.
    last.current = sizeOf(current);
  }, []);

  const toEnd = useCallback(() => {
    heldRow.release();
    isFollowing.current = true;
    follow();
  }, [heldRow, follow]);

  const updateAtEnd = useCallback(() => {
    const { current } = frame;
    if (current === null) return;
    const now = sizeOf(current);
    const isSameSize =
      now.scrollHeight >= last.current.scrollHeight && now.clientHeight === last.current.clientHeight;
    // Otherwise the browser scrolled, because there is less to scroll.
    const isUp = now.scrollTop < last.current.scrollTop && isSameSize;
    last.current = now;
    if (isUp && !heldRow.isHeld()) isOpening.current = false;
    // Scrolling up stops following at once, and so does a jump. Only movements of the end itself are followed.
    if (isUp || heldRow.isHeld()) isFollowing.current = fromEnd(current) < TOUCHES_WITHIN_PX;
    else if (fromEnd(current) < FOLLOW_WITHIN_PX) isFollowing.current = true;
    else if (isLive) follow();
    setAtEnd(isFollowing.current);
  }, [isLive, heldRow, follow]);

  useLayoutEffect(() => {
    if (rows.length === 0) return;
    isOpening.current &&= isFollowing.current || heldRow.isSet();
    if (isOpening.current) {
      // Another step follows, and the first unread message may only be in that one.
      if (!isFinished) return;
      isOpening.current = !isUnreadKnown;
      const unread = rows.findIndex(({ kind }) => kind === "unread");
      if (unread < 0) {
        toEnd();
      } else {
        isFollowing.current = false;
        heldRow.hold(rows, unread, { isCentered: false, onEnd: updateAtEnd });
        // If all rows fit, there is no scroll event, and the end is visible.
        setTimeout(updateAtEnd, SETTLED_MS);
      }
    } else {
      // The end of a window of history isn't the end of the channel, even if they have just been joined.
      if (!wasLive.current && shownPlace.current === place) isFollowing.current = false;
      // New rows are followed once they are laid out (`onResize`): scrolling here would force a layout for each message.
      heldRow.restore(rows);
    }
    shownPlace.current = place;
    wasLive.current = isLive;
  }, [rows, place, isFinished, isUnreadKnown, isLive, heldRow, toEnd, updateAtEnd]);

  const onScroll = () => {
    const element = frame.current;
    if (element === null) return;
    updateAtEnd();
    // At the end, one screen above is enough.
    const loadWithin = isFollowing.current ? element.clientHeight : LOAD_WITHIN_PX;
    if (element.scrollTop < loadWithin) loadOlder();
    if (fromEnd(element) < LOAD_WITHIN_PX) loadNewer();
  };

  const lastInView = () => {
    if (isFollowing.current) return Infinity;
    // Another page is being loaded in its place.
    if (frame.current === null || list.current === null) return -1;
    // Not the list's own offset: it may not have noticed yet that it was scrolled.
    const { scrollTop, clientHeight } = frame.current;
    return list.current.findItemIndex(scrollTop + clientHeight - 1);
  };

  const onResize = () => {
    if (heldRow.restore(rows) || !isLive) return;
    follow();
    // Rows that grew may only be laid out in the next frame.
    requestAnimationFrame(follow);
  };

  const toRow = useCallback(
    (index: number, align: "center" | "nearest") => {
      if (align === "nearest") return list.current?.scrollToIndex(index, { align });
      isOpening.current = false;
      isFollowing.current = false;
      heldRow.hold(rows, index, { isCentered: true, onEnd: updateAtEnd });
    },
    [rows, heldRow, updateAtEnd],
  );

  return {
    frame,
    list,
    isAtEnd,
    lastInView,
    isHeld: heldRow.isHeld,
    onScroll,
    onResize,
    toEnd: () => {
      isOpening.current = false;
      toEnd();
    },
    toRow,
  };
}

function sizeOf({ scrollTop, scrollHeight, clientHeight }: HTMLElement) {
  return { scrollTop, scrollHeight, clientHeight };
}

function fromEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

/** A row is held for this time and number of frames: a busy machine draws few frames and measures rows late. */
const HOLD_MS = 3000;
const HOLD_FRAMES = 60;
/** Events of the user's own scrolling. */
const USER_SCROLL_EVENTS = ["wheel", "pointerdown", "keydown"];

interface HoldOptions {
  /** Whether the row is held in the middle, not near the top. */
  isCentered: boolean;
  /** Called when the row is no longer held: then nothing scrolls, so there is no event. */
  onEnd: () => void;
}

interface Held extends HoldOptions {
  key: string;
  untilMs: number;
  framesLeft: number;
}

interface HeldRow {
  /** Scrolls to a row and holds it. */
  hold: (rows: readonly Row[], index: number, options: HoldOptions) => void;
  release: () => void;
  isHeld: () => boolean;
  /** Whether a row is or was held, and the user hasn't scrolled since. */
  isSet: () => boolean;
  /** Scrolls to the held row again; false if there is none. */
  restore: (rows: readonly Row[]) => boolean;
}

/**
 * Holds the target of a jump in place for a while or until the user scrolls. Virtua's `scrollToIndex` gives up when nothing has been
 * measured for 150 ms, or when rows are prepended; until then, nothing else can scroll.
 */
function useHeldRow(
  frame: RefObject<HTMLElement | null>,
  list: RefObject<VirtualizerHandle | null>,
): HeldRow {
  const held = useRef<Held | null>(null);
  const release = useCallback(() => {
    held.current = null;
  }, []);
  const isHeld = useCallback(() => {
    const { current } = held;
    return current !== null && (current.framesLeft > 0 || performance.now() <= current.untilMs);
  }, []);
  const isSet = useCallback(() => held.current !== null, []);
  const restore = useCallback(
    (rows: readonly Row[]) => {
      const [element, handle, { current }] = [frame.current, list.current, held];
      if (element === null || handle === null || current === null || !isHeld()) return false;
      const index = rows.findIndex(({ key }) => key === current.key);
      if (index < 0) return false;
      const above = current.isCentered
        ? (element.clientHeight - handle.getItemSize(index)) / 2
        : UNREAD_AT_PX;
      element.scrollTop = HEAD_HEIGHT_PX + handle.getItemOffset(index) - above;
      return true;
    },
    [frame, list, isHeld],
  );
  const hold = useCallback(
    (rows: readonly Row[], index: number, options: HoldOptions) => {
      const now: Held = {
        ...options,
        key: rows[index]!.key,
        untilMs: performance.now() + HOLD_MS,
        framesLeft: HOLD_FRAMES,
      };
      held.current = now;
      const countFrames = (): void => {
        if (held.current !== now) return;
        now.framesLeft -= 1;
        if (isHeld()) requestAnimationFrame(countFrames);
        else now.onEnd();
      };
      requestAnimationFrame(countFrames);
      restore(rows);
    },
    [isHeld, restore],
  );
  useEffect(() => {
    const listening = new AbortController();
    const onUser = (): void => {
      const { current } = held;
      release();
      current?.onEnd();
    };
    for (const type of USER_SCROLL_EVENTS) {
      frame.current?.addEventListener(type, onUser, { passive: true, signal: listening.signal });
    }
    return () => listening.abort();
  }, [frame, release]);
  return useMemo(() => ({ hold, release, isHeld, isSet, restore }), [hold, release, isHeld, isSet, restore]);
}

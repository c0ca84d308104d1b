import { type RefObject, useCallback, useEffect, useMemo, useRef } from "react";
import type { ScrollToIndexOpts, VirtualizerHandle } from "virtua";
import type { Row } from "./rows.ts";

/** A row is held for this long and this many frames: a busy machine draws few frames and measures rows late. */
const HOLD_MS = 3000;
const HOLD_FRAMES = 60;
/** What somebody scrolls with. */
const BY_HAND = ["wheel", "pointerdown", "keydown"];

interface Held {
  key: string;
  options: ScrollToIndexOpts;
  untilMs: number;
  framesLeft: number;
}

export interface HeldRow {
  /** Goes to a row, which is held from now on. */
  hold: (rows: readonly Row[], index: number, options: ScrollToIndexOpts) => void;
  release: () => void;
  isHeld: () => boolean;
  /** Goes to the row that is held once more; false where there is none. */
  restore: (rows: readonly Row[]) => boolean;
}

/**
 * Holds the row that was gone to in its place, for a while, or until the user scrolls. Virtua's own way to an index ends where nothing
 * has been measured for 150 ms, and where rows come before the others.
 */
export function useHeldRow(
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
  const restore = useCallback(
    (rows: readonly Row[]) => {
      const { current } = held;
      if (current === null || !isHeld()) return false;
      const index = rows.findIndex(({ key }) => key === current.key);
      if (index >= 0) list.current?.scrollToIndex(index, current.options);
      return index >= 0;
    },
    [list, isHeld],
  );
  const hold = useCallback(
    (rows: readonly Row[], index: number, options: ScrollToIndexOpts) => {
      const now: Held = {
        key: rows[index]!.key,
        options,
        untilMs: performance.now() + HOLD_MS,
        framesLeft: HOLD_FRAMES,
      };
      held.current = now;
      const countFrames = (): void => {
        now.framesLeft -= 1;
        if (now.framesLeft > 0 && held.current === now) requestAnimationFrame(countFrames);
      };
      requestAnimationFrame(countFrames);
      restore(rows);
    },
    [restore],
  );
  useEffect(() => {
    const listening = new AbortController();
    for (const type of BY_HAND) {
      frame.current?.addEventListener(type, release, { passive: true, signal: listening.signal });
    }
    return () => listening.abort();
  }, [frame, release]);
  return useMemo(() => ({ hold, release, isHeld, restore }), [hold, release, isHeld, restore]);
}

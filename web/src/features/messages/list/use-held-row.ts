import { type RefObject, useCallback, useEffect, useMemo, useRef } from "react";
import type { ScrollToIndexOpts, VirtualizerHandle } from "virtua";
import type { Row } from "./rows.ts";

/** After this even a busy machine has measured the rows around the one that was gone to. */
const HOLD_MS = 3000;
/** What somebody scrolls with. */
const BY_HAND = ["wheel", "pointerdown", "keydown"];

interface Held {
  key: string;
  options: ScrollToIndexOpts;
  until: number;
}

export interface HeldRow {
  /** Goes to a row, which is held from now on. */
  hold: (rows: readonly Row[], index: number, options: ScrollToIndexOpts) => void;
  release: () => void;
  /** Goes to the row that is held once more; false where there is none. */
  restore: (rows: readonly Row[]) => boolean;
}

/**
 * Holds the row that was gone to in its place, for a while, until somebody scrolls. Virtua's own way to an index ends where nothing
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
  const restore = useCallback(
    (rows: readonly Row[]) => {
      const { current } = held;
      if (current === null || performance.now() > current.until) return false;
      const index = rows.findIndex(({ key }) => key === current.key);
      if (index >= 0) list.current?.scrollToIndex(index, current.options);
      return index >= 0;
    },
    [list],
  );
  const hold = useCallback(
    (rows: readonly Row[], index: number, options: ScrollToIndexOpts) => {
      held.current = { key: rows[index]!.key, options, until: performance.now() + HOLD_MS };
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
  return useMemo(() => ({ hold, release, restore }), [hold, release, restore]);
}

import { useCallback, useEffect, useRef, useState } from "react";
import { useHandler } from "../shared/hooks.ts";

/** A text isn't held back longer than this by usernames, such as without a connection. */
const LOOKUP_MAX_MS = 2000;

interface DeferredRun {
  /** Whether it waits. The text must not be changed meanwhile. */
  isLocked: boolean;
  start: () => void;
  stop: () => void;
}

/**
 * Calls a function once the usernames in a text are known and nothing else holds it, unless the component is gone by then.
 * @param isLookingUp whether usernames in the text are being looked up
 * @param isHeld whether it must wait for something else, however long that takes
 */
export function useRunWhenReady(isLookingUp: boolean, run: () => void, isHeld = false): DeferredRun {
  const [isLocked, setLocked] = useState(false);
  /** Unlike the state, it changes at once. */
  const isWaiting = useRef(false);
  const lock = useCallback((waits: boolean) => {
    isWaiting.current = waits;
    setLocked(waits);
  }, []);
  const stop = useCallback(() => lock(false), [lock]);
  const finish = useHandler(() => {
    if (!isWaiting.current) return;
    stop();
    run();
  });
  useEffect(() => {
    if (!isLocked || isHeld) return undefined;
    const timer = setTimeout(finish, isLookingUp ? LOOKUP_MAX_MS : 0);
    return () => clearTimeout(timer);
  }, [isLocked, isHeld, isLookingUp, finish]);
  const start = () => {
    if (isWaiting.current) return;
    if (isLookingUp || isHeld) lock(true);
    else run();
  };
  return { isLocked, start, stop };
}

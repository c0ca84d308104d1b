import { useEffect, useState } from "react";
import { useHandler } from "../shared/hooks.ts";

/** A text isn't held back longer than this by usernames, such as without a connection. */
const LOOKUP_MAX_MS = 2000;

interface OnceNamed {
  /** Whether it waits. The text must not be changed meanwhile. */
  isLocked: boolean;
  start: () => void;
  stop: () => void;
}

/**
 * Calls a function once the usernames in a text are known, unless the component is gone by then.
 * @param isLookingUp whether usernames in the text are being looked up
 * @param isHeld whether it must wait for something else too, however long that takes
 */
export function useOnceNamed(isLookingUp: boolean, run: () => void, isHeld = false): OnceNamed {
  const [isLocked, setLocked] = useState(false);
  const finish = useHandler(() => {
    setLocked(false);
    run();
  });
  useEffect(() => {
    if (!isLocked || isHeld) return undefined;
    const timer = setTimeout(finish, isLookingUp ? LOOKUP_MAX_MS : 0);
    return () => clearTimeout(timer);
  }, [isLocked, isHeld, isLookingUp, finish]);
  const start = () => {
    if (isLookingUp || isHeld) setLocked(true);
    else run();
  };
  return { isLocked, start, stop: () => setLocked(false) };
}

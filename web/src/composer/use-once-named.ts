import { useEffect, useRef, useState } from "react";
import { pause } from "../shared/pause.ts";

/** A text isn't held back longer than this by usernames, such as without a connection. */
const LOOKUP_MAX_MS = 2000;
const LOOKUP_POLL_MS = 20;

interface OnceNamed {
  /** Whether it waits. The text must not be changed meanwhile. */
  isLocked: boolean;
  start: () => void;
}

/**
 * Calls a function once the usernames in a text are known, unless the component is gone by then.
 * @param isLookingUp whether usernames in the text, or its command, are being looked up
 * @param maxMs after this time the function is called anyway
 */
export function useOnceNamed(isLookingUp: boolean, run: () => void, maxMs = LOOKUP_MAX_MS): OnceNamed {
  const [isLocked, setLocked] = useState(false);
  const latest = useRef({ isLookingUp, run, isGone: false });
  useEffect(() => {
    latest.current = { isLookingUp, run, isGone: false };
  });
  useEffect(
    () => () => {
      latest.current.isGone = true;
    },
    [],
  );
  const wait = async () => {
    setLocked(true);
    const untilMs = performance.now() + maxMs;
    while (latest.current.isLookingUp && performance.now() < untilMs) {
      await pause(LOOKUP_POLL_MS);
    }
    setLocked(false);
    if (!latest.current.isGone) latest.current.run();
  };
  const start = () => {
    if (isLocked) return;
    if (isLookingUp) void wait();
    else run();
  };
  return { isLocked, start };
}

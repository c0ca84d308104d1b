import { useEffect, useRef } from "react";
import { isPhone } from "./hooks.ts";

/** Closes what is open on a phone, topmost last. */
export const open: { current: () => void }[] = [];

/** Loaded when it is needed. */
async function update(): Promise<void> {
  const back = await import("./back.ts").catch(() => null);
  // Something else may take the place of what was closed.
  setTimeout(() => back?.update());
}

/** Removes the entries of what was open before a reload. */
export function endOldEntries(): void {
  if ((history.state as { open?: number } | null)?.open !== undefined) void update();
}

/** On a phone, Back closes what is open. */
export function useBack(isOpen: boolean, close: () => void): void {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    if (!isOpen || !isPhone()) return undefined;
    open.push(latest);
    void update();
    return () => {
      open.splice(open.indexOf(latest), 1);
      void update();
    };
  }, [isOpen]);
}

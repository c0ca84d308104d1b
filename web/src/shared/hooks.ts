import { useMemo, useSyncExternalStore } from "react";

const STEP_MS = 30_000;

const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, in steps of half a minute: for what ends by itself, such as to be muted. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    nowMs = Date.now();
    timer = setInterval(() => {
      nowMs = Date.now();
      for (const tell of listeners) tell();
    }, STEP_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** The object of last time as long as its values are the same; its keys always are. */
export function useSame<T extends object>(object: T): T {
  // oxlint-disable-next-line react/use-memo, react/exhaustive-deps -- it depends on the values, whichever these are
  return useMemo(() => object, Object.values(object));
}

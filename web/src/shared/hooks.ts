import { useMemo, useSyncExternalStore, type KeyboardEvent, useEffect, useState } from "react";

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

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** For `onKeyDown` of a list of links: the arrow keys go from one to the next, and around at its ends. Tab goes through all of them too. */
export function walkByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (step === undefined || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-walk]")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  if (at === -1) return;
  event.preventDefault();
  stops.at((at + step) % stops.length)?.focus();
}

const TYPING_MS = 300;

/** The text, once it has not changed for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

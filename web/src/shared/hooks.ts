import {
  useCallback,
  useMemo,
  useRef,
  useSyncExternalStore,
  type KeyboardEvent,
  useEffect,
  useLayoutEffect,
  useState,
} from "react";

const STEP_MS = 30_000;

const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time, updated every half minute, for things that expire, such as mutes. */
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

/** Returns the previous object while its values are the same. Its keys must not change. */
export function useSame<T extends object>(object: T): T {
  // oxlint-disable-next-line react/use-memo, react/exhaustive-deps -- depends on the object's values
  return useMemo(() => object, Object.values(object));
}

/** A handler that stays the same function, for components that are rendered again only if their props change. */
export function useHandler<A extends readonly unknown[]>(
  handle: (...args: A) => unknown,
): (...args: A) => void {
  const latest = useRef(handle);
  useLayoutEffect(() => {
    latest.current = handle;
  });
  return useCallback((...args: A) => void latest.current(...args), []);
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** `onKeyDown` for a list of links: the arrow keys move the focus and wrap around. Tab still visits each link. */
export function moveFocusByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (step === undefined || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-walk]")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  if (at === -1) return;
  event.preventDefault();
  stops.at((at + step) % stops.length)?.focus();
}

const TYPING_MS = 300;

/** The debounced text. */
export function useSettled(text: string, ms = TYPING_MS): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}

/** False until a frame with the component has been shown. */
export function useIsShown(): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setShown(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isShown;
}

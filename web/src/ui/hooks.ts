import { useEffect, useRef, useSyncExternalStore } from "react";

/** Narrower than this there is one column; the same as `--breakpoint-md` of theme.css. */
const PHONE = "(width < 48rem)";

/** Whether a media query holds now. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const list = matchMedia(query);
      list.addEventListener("change", onChange);
      return () => list.removeEventListener("change", onChange);
    },
    () => matchMedia(query).matches,
  );
}

export function useIsPhone(): boolean {
  return useMedia(PHONE);
}

/** Calls when Esc is pressed and nothing in front (a dialog, a menu, a field) has used it. */
export function useEscape(onEscape: () => void): void {
  const latest = useRef(onEscape);
  useEffect(() => {
    latest.current = onEscape;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing) latest.current();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

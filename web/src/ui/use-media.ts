import { useSyncExternalStore } from "react";

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

import { useEffect } from "react";

const shown = Promise.withResolvers<void>();

/** Resolves once the first page shows its content. What the page doesn't need for that is loaded afterwards. */
export const firstShown: Promise<void> = shown.promise;

/** For pages: reports that they show their content. */
export function useFirstShown(isShown = true): void {
  useEffect(() => {
    if (isShown) shown.resolve();
  }, [isShown]);
}

/** The rest isn't held up for longer by a page whose content is missing. */
const MAX_WAIT_MS = 2000;

/** Also opens the way for the rest if the page takes long. */
export function useFirstShownInTime(): void {
  useEffect(() => {
    const timer = setTimeout(shown.resolve, MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
}

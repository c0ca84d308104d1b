import { setAppBadge } from "../ui/hooks.ts";

/** The database of `data/saved-data.ts`. */
export const SAVED_DATA = "fanfare.data";

/** Deletes what the session stored, since others may use this browser, and the count on the app's icon. */
export function forgetData(): void {
  setAppBadge(0);
  (globalThis.indexedDB as IDBFactory | undefined)?.deleteDatabase(SAVED_DATA);
}

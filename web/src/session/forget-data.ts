/** The database of `data/saved-data.ts`. */
export const SAVED_DATA = "fanfare.data";

/** Deletes what the session stored, since others may use this browser. */
export function forgetData(): void {
  (globalThis.indexedDB as IDBFactory | undefined)?.deleteDatabase(SAVED_DATA);
}

/** What a page tells the service worker. */
export type ToWorker =
  /** The new version may take over. */
  | { type: "takeOver" }
  /** What the page has loaded before the worker was there. */
  | { type: "keep"; paths: string[] };

/** What the service worker tells a page. */
export interface ToPage {
  type: "open";
  path: string;
}

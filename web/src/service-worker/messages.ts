export type ToWorker =
  /** The new version may take over. */
  | { type: "takeOver" }
  /** What the page has loaded before the worker was there. */
  | { type: "keep"; paths: string[] };

export interface ToPage {
  type: "open";
  path: string;
}

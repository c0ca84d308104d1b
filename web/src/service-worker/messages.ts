export type ToWorker =
  /** Activates the new version. */
  | { type: "takeOver" }
  /** Files that the page loaded before the worker was active. */
  | { type: "keep"; paths: string[] };

export interface ToPage {
  type: "open";
  path: string;
}

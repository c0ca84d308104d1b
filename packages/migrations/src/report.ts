/** Where it is said what is done. */
export interface Report {
  log(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  /** What is being done at this moment, for /readyz. */
  state(doing: string): void;
}

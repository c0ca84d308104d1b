/** A process that exits sooner than this counts as failing at once. */
const IMMEDIATE_MS = 10_000;
const MOST_IMMEDIATE = 5;
const FIRST_WAIT_MS = 500;

/**
 * When to restart a process that has exited: at once, then with growing delays, and never if it keeps failing
 * at once.
 */
export class Restarts {
  #immediate = 0;

  /**
   * @param ranMs how long the process ran
   * @returns milliseconds to wait before its next start; null: give up
   */
  next(ranMs: number): number | null {
    this.#immediate = ranMs < IMMEDIATE_MS ? this.#immediate + 1 : 0;
    if (this.#immediate >= MOST_IMMEDIATE) return null;
    return FIRST_WAIT_MS * 2 ** this.#immediate;
  }
}

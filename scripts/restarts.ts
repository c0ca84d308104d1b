/** A process that ends sooner than this after its start is taken to fail at once. */
const IMMEDIATE_MS = 10_000;
const MOST_IMMEDIATE = 5;
const FIRST_WAIT_MS = 500;

/** When a process that has ended is started again: at once, then later and later, and not at all if it keeps failing at once. */
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

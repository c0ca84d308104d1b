/** Calls `onQuiet` once after a while without `reset`. */
export class IdleTimer {
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #resetAtMs = 0;
  #waitMs = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** @param idleMs varied at random by up to a third, so that clients of the same channel don't sync together */
  constructor(idleMs: number, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  reset(): void {
    this.#resetAtMs = Date.now();
    if (this.#timer !== null) return;
    this.#waitMs = this.#idleMs * (2 / 3 + (2 / 3) * Math.random());
    this.#wait(this.#waitMs);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** One timer for any number of events: a reset only extends the wait. */
  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#resetAtMs + this.#waitMs - Date.now();
      if (leftMs > 0) {
        this.#wait(leftMs);
        return;
      }
      this.#timer = null;
      this.#onIdle();
    }, ms);
  }
}

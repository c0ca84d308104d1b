/** Calls `onQuiet` once when nothing was heard for a while after something was. */
export class QuietWatch {
  readonly #quietMs: number;
  readonly #onQuiet: () => void;
  #resetAtMs = 0;
  #waitMs = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** @param quietMs a third less or more by chance, so that all who listened to the same thing do not ask together */
  constructor(quietMs: number, onQuiet: () => void) {
    this.#quietMs = quietMs;
    this.#onQuiet = onQuiet;
  }

  reset(): void {
    this.#resetAtMs = Date.now();
    if (this.#timer !== null) return;
    this.#waitMs = this.#quietMs * (2 / 3 + (2 / 3) * Math.random());
    this.#wait(this.#waitMs);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** One timer for however many events: what was heard meanwhile only makes it wait again. */
  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#resetAtMs + this.#waitMs - Date.now();
      if (leftMs > 0) {
        this.#wait(leftMs);
        return;
      }
      this.#timer = null;
      this.#onQuiet();
    }, ms);
  }
}

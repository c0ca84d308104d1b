/** In milliseconds. */
export const DEFAULT_NAP_MS = 0.3;

/**
 * Batches reads: after a turn of the event loop with a read, the thread sleeps briefly, so that the next turn
 * finds many sockets readable. Waking up for every frame would slow down a server on the same machine as remote
 * receivers never do. The sleep counts as latency.
 */
export class Napper {
  isEnabled = false;
  readonly #napMs: number;
  readonly #never = new Int32Array(new SharedArrayBuffer(4));
  #isScheduled = false;

  constructor(napMs: number) {
    this.#napMs = napMs;
  }

  afterThisTurn(): void {
    if (!this.isEnabled || this.#isScheduled || this.#napMs === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      Atomics.wait(this.#never, 0, 0, this.#napMs);
    });
  }
}

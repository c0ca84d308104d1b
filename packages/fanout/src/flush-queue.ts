import type { Connection } from "./connection.ts";

/** Time limit of a slice in milliseconds, for when single writes are expensive (large payloads). */
const SLICE_BUDGET_MS = 5;
const WRITES_PER_CLOCK_CHECK = 50;

/**
 * A FIFO queue of connections with pending packets. In each turn of the event loop a slice of them is flushed, each with one write.
 */
export class FlushQueue {
  #current: Connection[] = [];
  #position = 0;
  #next: Connection[] = [];
  #scheduled = false;
  #added = 0;
  #removed = 0;
  readonly #waiters: { count: number; done: () => void }[] = [];
  readonly #connectionsPerSlice: number;
  readonly #beforeSlice: () => void;

  /** @param beforeSlice called before each slice; can add connections */
  constructor(connectionsPerSlice: number, beforeSlice: () => void) {
    this.#connectionsPerSlice = connectionsPerSlice;
    this.#beforeSlice = beforeSlice;
  }

  add(connection: Connection): void {
    if (connection.enqueued) return;
    connection.enqueued = true;
    this.#next.push(connection);
    this.#added++;
  }

  /** @param afterTurns turns of the event loop to wait beyond the next one */
  schedule(afterTurns = 0): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#wait(afterTurns);
  }

  /** Calls `done` on the next tick after all connections added so far were flushed. */
  whenWritten(done: () => void): void {
    this.#waiters.push({ count: this.#added, done });
  }

  /** The number of queued connections. */
  get size(): number {
    return this.#added - this.#removed;
  }

  #wait = (turns: number): void => {
    if (turns > 0) setImmediate(this.#wait, turns - 1);
    else setImmediate(this.#slice);
  };

  #slice = (): void => {
    this.#scheduled = false;
    this.#beforeSlice();
    try {
      this.#write();
    } finally {
      this.#report();
      if (this.size > 0) this.schedule();
      else this.#clear();
    }
  };

  #write(): void {
    const unbounded = this.#connectionsPerSlice === Infinity;
    const deadline = performance.now() + (unbounded ? Infinity : SLICE_BUDGET_MS);
    for (let written = 0; written < this.#connectionsPerSlice; written++) {
      if (written % WRITES_PER_CLOCK_CHECK === 0 && performance.now() > deadline) return;
      const connection = this.#take();
      if (connection === undefined) return;
      connection.enqueued = false;
      connection.flush();
    }
  }

  #take(): Connection | undefined {
    if (this.#position >= this.#current.length) {
      this.#current = this.#next;
      this.#next = [];
      this.#position = 0;
    }
    const connection = this.#current[this.#position];
    if (connection === undefined) return undefined;
    this.#position++;
    this.#removed++;
    return connection;
  }

  /** Drops references, so that closed connections can be garbage-collected. */
  #clear(): void {
    this.#current = [];
    this.#position = 0;
  }

  #report(): void {
    while (this.#waiters[0] !== undefined && this.#waiters[0].count <= this.#removed) {
      process.nextTick(this.#waiters.shift()!.done);
    }
  }
}

import type { Connection } from "./connection.ts";

/** Longest time that one slice may take when single writes are expensive (large payloads), in milliseconds. */
const SLICE_BUDGET_MS = 5;
const WRITES_PER_CLOCK_CHECK = 50;

/**
 * Connections with something pending, first come first served. Once per turn of the event loop a slice of them is
 * written to, each with all it waits for in one write.
 */
export class FlushQueue {
  #current: Connection[] = [];
  #position = 0;
  #next: Connection[] = [];
  #scheduled = false;
  #added = 0;
  #removed = 0;
  readonly #awaited: { count: number; done: () => void }[] = [];
  readonly #connectionsPerSlice: number;
  readonly #beforeSlice: () => void;

  /** @param beforeSlice may still `add` connections. */
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

  /** @param afterTurns turns of the event loop to let pass before the next one is used. */
  schedule(afterTurns = 0): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#wait(afterTurns);
  }

  /** Calls `done` in a turn of its own when all connections added so far have been written to. */
  whenWritten(done: () => void): void {
    this.#awaited.push({ count: this.#added, done });
  }

  /** Connections that wait to be written to. */
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
      else this.#forget();
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

  /** A connection that has been closed must not be kept alive by the last round it was in. */
  #forget(): void {
    this.#current = [];
    this.#position = 0;
  }

  #report(): void {
    while (this.#awaited[0] !== undefined && this.#awaited[0].count <= this.#removed) {
      process.nextTick(this.#awaited.shift()!.done);
    }
  }
}

import { nowMs } from "../kernels/broadcast/clock.ts";
import type { Assignment } from "./receiver.ts";

/** The same as the SDK's: a random time in the upper half of a limit that doubles with each failure. */
const BACKOFF = { baseMs: 1000, maxMs: 15_000 };

/**
 * When and where receivers reconnect after losing their connection, like the SDK: with jitter, and to another
 * server.
 */
export class Roaming {
  readonly #servers: number;
  readonly #moveAtMs = new Map<number, number>();

  /** @param servers how many there are to choose from */
  constructor(servers: number) {
    this.#servers = servers;
  }

  /** @returns after how long the receiver leaves the server that is going away */
  drain(receiver: number, withinMs: number): number {
    const waitMs = Math.random() * withinMs;
    this.#moveAtMs.set(receiver, nowMs() + waitMs);
    return waitMs;
  }

  /** @param failures failed attempts since the connection was lost */
  waitMs(receiver: number, failures: number): number {
    const moveAtMs = this.#moveAtMs.get(receiver);
    this.#moveAtMs.delete(receiver);
    // The time to move is random already.
    if (moveAtMs !== undefined) return Math.max(0, moveAtMs - nowMs());
    const boundMs = Math.min(BACKOFF.maxMs, BACKOFF.baseMs * 2 ** failures);
    return boundMs / 2 + (Math.random() * boundMs) / 2;
  }

  /** Any server except the one that was lost, if there are several. */
  elsewhere(assignment: Assignment): Assignment {
    if (this.#servers === 1) return assignment;
    const step = 1 + Math.floor(Math.random() * (this.#servers - 1));
    return { ...assignment, server: (assignment.server + step) % this.#servers };
  }
}

import { serviceError } from "@fanfare/kernel";
import { OVERLOADED_RETRY_MS } from "./bounds.ts";

/** Runs so many tasks at once; further ones wait, and beyond that are refused. */
export class WorkQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws {ServiceError} OVERLOADED when too many wait */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else {
      if (this.#waiting.length >= this.#maxWaiting)
        throw serviceError("OVERLOADED", { retryAfterMs: OVERLOADED_RETRY_MS });
      // Whoever ends hands its place on.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

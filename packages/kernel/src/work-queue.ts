import { currentScope, refuseLate } from "./request-scope.ts";
import { serviceError } from "./errors.ts";

interface WorkQueueOptions {
  /** Tasks that run at the same time. */
  atOnce: number;
  /** Tasks that wait; beyond it they are refused. */
  waiting: number;
  /** What whoever is refused is told: when to come again. */
  retryAfterMs: number;
}

/** Runs so many tasks at once, first come first served; further ones wait, and beyond that are refused. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** @throws {ServiceError} OVERLOADED when too many wait, UNAVAILABLE when the caller's deadline has passed */
  async run<T>(task: () => Promise<T>): Promise<T> {
    const { atOnce, waiting, retryAfterMs } = this.#options;
    if (this.#running < atOnce) this.#running += 1;
    else {
      if (this.#waiting.length >= waiting) throw serviceError("OVERLOADED", { retryAfterMs });
      // Whoever ends hands its place on.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      refuseLate(currentScope()?.deadline);
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Maps all items in order, at most `concurrency` of them at the same time. Rejects with the first error. */
export async function boundedMap<T, R>(
  items: readonly T[],
  concurrency: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = Array.from<R>({ length: items.length });
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await map(items[i]!);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return results;
}

/** Cuts a list into pieces of at most `size`. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

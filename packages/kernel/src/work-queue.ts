import { currentScope, assertNotExceeded } from "./request-scope.ts";
import { overloaded, unavailable } from "./errors.ts";

interface WorkQueueOptions {
  /** Maximum number of concurrent tasks. */
  atOnce: number;
  /** Maximum number of waiting tasks; further ones are rejected. */
  waiting: number;
  /** The retry delay returned to rejected callers. */
  retryAfterMs: number;
}

/** Runs tasks in FIFO order with bounded concurrency and a bounded queue. */
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
      if (this.#waiting.length >= waiting) throw overloaded(retryAfterMs);
      // A finished task passes its slot to the next one.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      assertNotExceeded(currentScope()?.deadline);
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Maps items in order, at most `concurrency` at a time. Rejects with the first error. */
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

/** Splits a list into chunks of at most `size`. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/**
 * Limits how long to wait for work that can't be aborted, which continues.
 * @param late makes the error after `timeoutMs`
 */
export async function within<T>(
  timeoutMs: number,
  work: PromiseLike<T>,
  late: () => Error = unavailable,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

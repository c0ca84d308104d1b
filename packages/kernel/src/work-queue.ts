import { overloaded, unavailable } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { assertNotExceeded, currentScope } from "./request-scope.ts";

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

/**
 * Runs a task periodically, but only while there is something to do: each run wakes its thread, and idle timers are most of what an
 * idle server costs.
 */
export class WorkTimer {
  readonly #everyMs: number;
  readonly #task: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** @param task returns whether there is more to do; if not, it runs again only after the next `start` */
  constructor(everyMs: number, task: () => boolean) {
    this.#everyMs = everyMs;
    this.#task = task;
  }

  /** Call it whenever there is something to do. The first run is after one period. */
  start(): void {
    if (this.#isStopped) return;
    this.#timer ??= setInterval(() => {
      if (!this.#task()) this.#pause();
    }, this.#everyMs).unref();
  }

  /** Ends it for good. */
  stop(): void {
    this.#isStopped = true;
    this.#pause();
  }

  #pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

interface RepeatOptions {
  everyMs: number;
  what: string;
  logger: Logger;
  /** Whether there is something to do; otherwise it pauses until the next `start`. Default: always. */
  isNeeded?: () => boolean;
}

export interface Repeated {
  /** Call it when there is something to do again. */
  start: () => void;
  /** Waits for a run in progress. */
  stop: () => Promise<void>;
}

/** Runs a task periodically, without overlapping runs. Logs only the first of consecutive failures. */
export function repeat(
  task: () => Promise<void>,
  { everyMs, what, logger, isNeeded = () => true }: RepeatOptions,
): Repeated {
  let running: Promise<void> | null = null;
  let failing = false;
  const run = async (): Promise<void> => {
    try {
      await task();
      failing = false;
    } catch (error) {
      if (!failing) logger.warn({ err: error }, `${what} failed, retrying`);
      failing = true;
    }
  };
  const timer = new WorkTimer(everyMs, () => {
    if (running === null && !isNeeded()) return false;
    running ??= run().finally(() => {
      running = null;
    });
    return true;
  });
  timer.start();
  return {
    start: () => timer.start(),
    async stop() {
      timer.stop();
      await running;
    },
  };
}

import type { Logger } from "./logger.ts";

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

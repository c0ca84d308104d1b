import type { Logger } from "./logger.ts";

interface RepeatOptions {
  everyMs: number;
  what: string;
  logger: Logger;
}

/**
 * Runs a task periodically, without overlapping runs. Logs only the first of consecutive failures.
 * @returns a function that stops it and waits for a run in progress
 */
export function repeat(
  task: () => Promise<void>,
  { everyMs, what, logger }: RepeatOptions,
): () => Promise<void> {
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
  const timer = setInterval(() => {
    running ??= run().finally(() => {
      running = null;
    });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

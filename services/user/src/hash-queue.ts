export interface HashQueueOptions {
  /** How many run at once. */
  running: number;
  /** How many may wait. */
  waiting: number;
  /** Makes the error for a task that finds the queue full. */
  refuse(): Error;
}

/** Runs tasks a few at a time, first come first served, and refuses those beyond the bound. */
export function createHashQueue(options: HashQueueOptions): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (task) => {
    if (running < options.running) running += 1;
    else {
      if (waiting.length >= options.waiting) throw options.refuse();
      // The place is handed over by the task that ends, so `running` stays as it is.
      await new Promise<void>((resolve) => void waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

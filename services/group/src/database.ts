import { currentScope, runInScope, type RequestScope } from "@fanfare/kernel";

const MAX_BATCH = 500;

/** Longest time a login waits to share queries with concurrent logins. */
export const CROWD_MS = 4;

interface BatcherOptions {
  /** Further calls go into the next batch. */
  maxBatch?: number;
  /** Minimum interval between the starts of consecutive batches, so that concurrent calls form fewer and larger ones. */
  crowdMs?: number;
}

interface Batch<A, T> {
  args: A[];
  answer: PromiseWithResolvers<T>;
  /** The last caller's scope, because its deadline is the latest. */
  scope: RequestScope | undefined;
}

/** For counters written right after a durable write: waiting for the disk twice would gain nothing. */
export const COUNTER = { w: "majority", j: false } as const;

/**
 * Batches concurrent calls for the same key: calls made while a batch is running go into the next one. A call never joins a batch
 * that started before it, so what it reads is never older than the call. A single call runs immediately.
 */
export function createBatcher<A, T>(
  run: (key: string, args: A[]) => Promise<T>,
  { maxBatch = MAX_BATCH, crowdMs = 0 }: BatcherOptions = {},
): (key: string, arg: A) => Promise<T> {
  /** Waiting batches by key; a key is present while one of its batches is running. */
  const queues = new Map<string, Batch<A, T>[]>();

  const runNext = (key: string, { args, answer, scope }: Batch<A, T>, queue: Batch<A, T>[]): void => {
    const beganMs = performance.now();
    const goOn = (): void => {
      const next = queue.shift();
      if (next === undefined) queues.delete(key);
      else runNext(key, next, queue);
    };
    runInScope(scope, () => run(key, args))
      .then(answer.resolve, answer.reject)
      .finally(() => {
        const restMs = queue.length === 0 ? 0 : beganMs + crowdMs - performance.now();
        if (restMs > 0) setTimeout(goOn, restMs);
        else goOn();
      });
  };

  return (key, arg) => {
    const queue = queues.get(key);
    const last = queue?.at(-1);
    if (last !== undefined && last.args.length < maxBatch) {
      last.args.push(arg);
      last.scope = currentScope();
      return last.answer.promise;
    }
    const batch: Batch<A, T> = {
      args: [arg],
      answer: Promise.withResolvers<T>(),
      scope: currentScope(),
    };
    if (queue === undefined) {
      const own: Batch<A, T>[] = [];
      queues.set(key, own);
      runNext(key, batch, own);
    } else queue.push(batch);
    return batch.answer.promise;
  };
}

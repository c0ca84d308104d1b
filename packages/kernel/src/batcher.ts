import { currentScope, mergedScope, type RequestScope, runInScope } from "./request-scope.ts";

const MAX_BATCH = 500;

interface BatcherOptions {
  /** Further calls go into the next batch. */
  maxBatch?: number;
  /** Minimum interval between the starts of consecutive batches, so that concurrent calls form fewer and larger ones. */
  crowdMs?: number;
}

interface Batch<A, T> {
  args: A[];
  answer: PromiseWithResolvers<T>;
  scopes: (RequestScope | undefined)[];
}

/**
 * Batches concurrent calls for the same key: those of one turn of the event loop, and those made while a batch is running. A call
 * never joins a batch that started before it, so what it reads is never older than the call.
 */
export function createBatcher<A, T>(
  run: (key: string, args: A[]) => Promise<T>,
  { maxBatch = MAX_BATCH, crowdMs = 0 }: BatcherOptions = {},
): (key: string, arg: A) => Promise<T> {
  /** Waiting batches by key; a key is present while one of its batches is about to start or running. */
  const queues = new Map<string, Batch<A, T>[]>();

  const runNext = (key: string, queue: Batch<A, T>[]): void => {
    const batch = queue.shift();
    if (batch === undefined) {
      queues.delete(key);
      return;
    }
    const { args, answer, scopes } = batch;
    const beganMs = performance.now();
    const goOn = (): void => runNext(key, queue);
    runInScope(mergedScope(scopes), () => run(key, args))
      .then(answer.resolve, answer.reject)
      .finally(() => {
        const restMs = queue.length === 0 ? 0 : beganMs + crowdMs - performance.now();
        if (restMs > 0) setTimeout(goOn, restMs);
        else goOn();
      });
  };

  return (key, arg) => {
    let queue = queues.get(key);
    if (queue === undefined) {
      queues.set(key, (queue = []));
      // Runs after all promises of this turn.
      process.nextTick(runNext, key, queue);
    }
    let batch = queue.at(-1);
    if (batch === undefined || batch.args.length >= maxBatch)
      queue.push((batch = { args: [], answer: Promise.withResolvers<T>(), scopes: [] }));
    batch.args.push(arg);
    batch.scopes.push(currentScope());
    return batch.answer.promise;
  };
}

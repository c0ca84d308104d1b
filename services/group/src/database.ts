import { currentScope, runInScope, type RequestScope } from "@fanfare/kernel";

const MAX_BATCH = 500;

/** What a login waits at most for others, where many come at once. */
export const CROWD_MS = 4;

interface GatherOptions {
  /** More calls than this go into the run after the next. */
  maxBatch?: number;
  /** Calls that had to wait for a run wait until so long after its beginning, so that a crowd makes fewer and larger runs. */
  crowdMs?: number;
}

interface Batch<A, T> {
  args: A[];
  answer: PromiseWithResolvers<T>;
  /** Of the last caller, whose deadline is the last. */
  scope: RequestScope | undefined;
}

/** For counters that are written right after a durable write: waiting for the disk twice would gain nothing. */
export const COUNTER = { w: "majority", j: false } as const;

/**
 * Lets a crowd that asks about one thing be answered together: while a run for a key is under way, further calls for that
 * key gather and go into the next run. A call never joins a run that began before it, so what it reads is never older
 * than the call. A single call runs at once.
 */
export function createGather<A, T>(
  run: (key: string, args: A[]) => Promise<T>,
  { maxBatch = MAX_BATCH, crowdMs = 0 }: GatherOptions = {},
): (key: string, arg: A) => Promise<T> {
  /** By key of a run under way: those that wait for its end. */
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

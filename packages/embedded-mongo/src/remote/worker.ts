import { getHeapStatistics } from "node:v8";
import { Worker } from "node:worker_threads";
import type { EmbeddedMongoOptions } from "../options.ts";
import { supervise, type SupervisedMongo } from "./supervise.ts";

const MIB = 1024 * 1024;

/**
 * Starts the server in a worker thread, so that it doesn't block this event loop. It shares the thread pool of the process, so other
 * users of the pool, such as password hashing, delay durable writes.
 * `onFatal` is not available here; a failing server ends the worker, which `onExit` reports.
 * @throws the errors of startEmbeddedMongo
 */
export function startEmbeddedMongoWorker({
  onProgress,
  ...options
}: Omit<EmbeddedMongoOptions, "onFatal">): Promise<SupervisedMongo> {
  const worker = new Worker(new URL("./worker-main.ts", import.meta.url), {
    workerData: options,
    resourceLimits: { maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / MIB) },
  });
  let failure: Error | undefined;
  worker.once(
    "error",
    (error: unknown) => (failure = error instanceof Error ? error : new Error(String(error))),
  );
  return supervise(
    {
      onMessage: (listener) => worker.on("message", listener),
      onEnd: (listener) =>
        worker.once("exit", (code) =>
          listener(failure ?? new Error(`The database worker ended with code ${code}`)),
        ),
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      requestClose: () => worker.postMessage("close"),
      terminate: () => void worker.terminate(),
    },
    onProgress,
  );
}

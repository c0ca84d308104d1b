import { Worker } from "node:worker_threads";
import { getHeapStatistics } from "node:v8";
import { DataFolderInUseError, DataFolderMismatchError } from "./errors.ts";
import type { EmbeddedMongoOptions } from "./options.ts";
import type { EmbeddedMongo } from "./start.ts";
import type { FromWorker } from "./worker-main.ts";

export interface EmbeddedMongoWorker extends EmbeddedMongo {
  /** Registers a listener for the end of the worker; `error` is undefined after `close()`. */
  onExit(listener: (error: Error | undefined) => void): void;
}

const MIB = 1024 * 1024;

function revive(message: Extract<FromWorker, { type: "failed" }>): Error {
  if (message.name === "DataFolderInUseError")
    return new DataFolderInUseError(message.dir ?? "", message.pid);
  if (message.name === "DataFolderMismatchError")
    return new DataFolderMismatchError(message.dir ?? "", message.message);
  const error = new Error(message.message);
  error.name = message.name;
  return error;
}

/**
 * Starts the server in a worker thread: its work does not delay the event loop of this one.
 * `onFatal` is not available here; a failing server ends the worker, which `onExit` tells.
 * @throws the same as startEmbeddedMongo
 */
export async function startEmbeddedMongoWorker(
  options: Omit<EmbeddedMongoOptions, "onFatal">,
): Promise<EmbeddedMongoWorker> {
  const worker = new Worker(new URL("./worker-main.ts", import.meta.url), {
    workerData: options,
    resourceLimits: { maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / MIB) },
  });
  const listeners: ((error: Error | undefined) => void)[] = [];
  let failure: Error | undefined;
  let closing = false;
  let exited = false;
  const exit = new Promise<void>((resolve) => {
    worker.once(
      "error",
      (error: unknown) => (failure = error instanceof Error ? error : new Error(String(error))),
    );
    worker.once("exit", (code) => {
      exited = true;
      if (!closing) failure ??= new Error(`The database worker ended with code ${code}`);
      for (const listener of listeners) listener(failure);
      resolve();
    });
  });
  const uri = await new Promise<string>((resolve, reject) => {
    worker.once("message", (message: FromWorker) => {
      if (message.type === "ready") {
        resolve(message.uri);
        return;
      }
      closing = true;
      void worker.terminate();
      reject(revive(message));
    });
    void exit.then(() => reject(failure ?? new Error("The database worker ended before it was ready")));
  });
  return {
    uri,
    onExit: (listener) => {
      if (exited) listener(failure);
      else listeners.push(listener);
    },
    close: async () => {
      closing = true;
      if (!exited) worker.postMessage("close");
      await exit;
    },
  };
}

import os from "node:os";
import { Worker } from "node:worker_threads";
import { connectError, usageError } from "../exit.ts";
import type {
  FromLoadThread,
  LoadPhase,
  LoadThreadSetup,
  ThreadReport,
  ToLoadThread,
} from "./load-messages.ts";

const MOST_THREADS = 64;
/** One thread makes tens of thousands of requests a second; on few cores a second one takes from the server. */
const CORES_PER_THREAD = 8;

const ANSWERS = { prepare: "prepared", run: "ran", close: "closed" } as const;
type Answer<T extends keyof typeof ANSWERS> = FromLoadThread & { type: (typeof ANSWERS)[T] };

/** How many threads make requests. @param text a number, or "auto": by the machine. @throws {ExitError} */
export function loadThreadCount(text: string, senders: number): number {
  if (text === "auto")
    return Math.min(senders, Math.max(1, Math.floor(os.availableParallelism() / CORES_PER_THREAD)));
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_THREADS) return Math.min(senders, count);
  throw usageError(`--workers must be "auto" or one whole number from 1 to ${MOST_THREADS}.`);
}

/** The threads that make the requests of a run. */
export class LoadThreads {
  readonly #workers: Worker[];
  readonly #signal: AbortSignal;

  /**
   * @param module the URL of the module with the operation
   * @param operation what it is told; goes to each thread
   * @param signal ends a phase before its time; what there was until then is reported
   */
  constructor(module: URL, operation: unknown, workers: number, signal: AbortSignal) {
    this.#signal = signal;
    this.#workers = Array.from({ length: workers }, (_, worker) => {
      const setup: LoadThreadSetup = { module: module.href, operation, worker, workers };
      return new Worker(new URL("./load-worker.ts", import.meta.url), { workerData: setup });
    });
  }

  get count(): number {
    return this.#workers.length;
  }

  /** Connects everybody. @throws {ExitError} when somebody could not be connected */
  async prepare(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => ask(worker, { type: "prepare" }, this.#signal)));
  }

  /** Resolves when every request of the phase is settled. */
  async run(phase: LoadPhase): Promise<ThreadReport[]> {
    const stop = () => this.#workers.forEach((worker) => tell(worker, { type: "stop" }));
    if (this.#signal.aborted) stop();
    this.#signal.addEventListener("abort", stop, { once: true });
    try {
      const answers = await Promise.all(this.#workers.map((worker) => ask(worker, { type: "run", phase })));
      return answers.map(({ report }) => report);
    } finally {
      this.#signal.removeEventListener("abort", stop);
    }
  }

  /** @returns errors that belong to no request, by code */
  async close(): Promise<Record<string, number>> {
    const errors: Record<string, number> = {};
    for (const answer of await Promise.all(this.#workers.map(closeThread)))
      for (const [code, count] of Object.entries(answer)) errors[code] = (errors[code] ?? 0) + count;
    return errors;
  }
}

async function closeThread(worker: Worker): Promise<Readonly<Record<string, number>>> {
  try {
    return (await ask(worker, { type: "close" })).errors;
  } catch {
    // It has failed already, and said so.
    return {};
  } finally {
    await worker.terminate();
  }
}

function ask<T extends keyof typeof ANSWERS>(
  worker: Worker,
  order: ToLoadThread & { type: T },
  signal?: AbortSignal,
): Promise<Answer<T>> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      signal?.removeEventListener("abort", onAbort);
      then();
    };
    const onMessage = (message: FromLoadThread) => {
      if (message.type === "failed") settle(() => reject(connectError(message.message)));
      else if (message.type === ANSWERS[order.type]) settle(() => resolve(message as Answer<T>));
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error("the thread has ended")));
    const onAbort = () => settle(() => reject(signal!.reason as Error));
    worker.on("message", onMessage).once("error", onError).once("exit", onExit);
    signal?.addEventListener("abort", onAbort, { once: true });
    tell(worker, order);
  });
}

function tell(worker: Worker, order: ToLoadThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(order);
}

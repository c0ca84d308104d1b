import os from "node:os";
import { Worker } from "node:worker_threads";
import { usageError } from "../../cli/exit.ts";
import { callThread, postToThread } from "./call-thread.ts";
import type {
  FromLoadThread,
  LoadPhase,
  LoadThreadSetup,
  ThreadReport,
  ToLoadThread,
} from "./load-messages.ts";
import type { ArrivalReport } from "./receive-messages.ts";

const MOST_THREADS = 64;
/**
 * One thread makes tens of thousands of requests a second; on few cores a second thread competes with the
 * server.
 */
const CORES_PER_THREAD = 8;

const ANSWERS = { prepare: "prepared", run: "ran", report: "reported", close: "closed" } as const;
type Answer<T extends keyof typeof ANSWERS> = FromLoadThread & { type: (typeof ANSWERS)[T] };

/**
 * The number of threads of a kind.
 * @param text a number, or "auto" to choose by the machine
 * @throws {ExitError}
 */
export function loadThreadCount(text: string, connections: number): number {
  const most = Math.max(1, connections);
  if (text === "auto")
    return Math.min(most, Math.max(1, Math.floor(os.availableParallelism() / CORES_PER_THREAD)));
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_THREADS) return Math.min(most, count);
  throw usageError(`--sending-threads must be "auto" or an integer from 1 to ${MOST_THREADS}.`);
}

/** The threads that make a run's requests. */
export class LoadThreads {
  readonly #workers: Worker[];
  readonly #signal: AbortSignal;

  /**
   * @param module the URL of the operation's module
   * @param operation its setup, sent to each thread
   * @param signal ends a phase early, with a report of everything up to then
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

  /**
   * Connects all users.
   * @throws {ExitError} if one could not be connected
   */
  async prepare(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => ask(worker, { type: "prepare" }, this.#signal)));
  }

  /** Resolves when every request of the phase is settled. */
  async run(phase: LoadPhase): Promise<ThreadReport[]> {
    const stop = () => {
      for (const worker of this.#workers) postToThread(worker, { type: "stop" } satisfies ToLoadThread);
    };
    if (this.#signal.aborted) stop();
    this.#signal.addEventListener("abort", stop, { once: true });
    try {
      const answers = await Promise.all(this.#workers.map((worker) => ask(worker, { type: "run", phase })));
      return answers.map(({ report }) => report);
    } finally {
      this.#signal.removeEventListener("abort", stop);
    }
  }

  /** What the sending connections have received. */
  async report(): Promise<ArrivalReport[]> {
    const answers = await Promise.all(this.#workers.map((worker) => ask(worker, { type: "report" })));
    return answers.flatMap(({ arrivals }) => arrivals ?? []);
  }

  /** @returns errors without a request by code, one table per thread */
  async close(): Promise<Readonly<Record<string, number>>[]> {
    const answers = await Promise.allSettled(this.#workers.map((worker) => ask(worker, { type: "close" })));
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
    // A failed thread has reported its error already.
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value.errors] : []));
  }
}

async function ask<T extends keyof typeof ANSWERS>(
  worker: Worker,
  order: ToLoadThread & { type: T },
  signal?: AbortSignal,
): Promise<Answer<T>> {
  const answer = ANSWERS[order.type];
  return (await callThread(worker, order, { answer, ...(signal ? { signal } : {}) })) as Answer<T>;
}

import { Worker } from "node:worker_threads";
import type { ThreadLoad } from "../broadcast/thread-load.ts";
import type { Assignment } from "../../receivers/receiver.ts";
import { callThread } from "./call-thread.ts";
import type { ArrivalReport, FromReceiveThread, ReceiveSetup, ToReceiveThread } from "./receive-messages.ts";

const ANSWERS = { connect: "connected", sample: "sampled", report: "reported", close: "closed" } as const;
type Answer<T extends keyof typeof ANSWERS> = FromReceiveThread & { type: (typeof ANSWERS)[T] };

/** The threads of connections that only receive. */
export class ReceiveThreads {
  readonly #workers: Worker[];
  readonly #signal: AbortSignal;

  constructor(setup: ReceiveSetup, workers: number, signal: AbortSignal) {
    this.#signal = signal;
    const window = Math.max(1, Math.round(setup.window / workers));
    this.#workers = Array.from(
      { length: workers },
      () => new Worker(new URL("./receive-worker.ts", import.meta.url), { workerData: { ...setup, window } }),
    );
  }

  get count(): number {
    return this.#workers.length;
  }

  /** Resolves when all are online or given up: see the connections' memory. */
  async connect(assignments: readonly Assignment[]): Promise<void> {
    const share = (w: number) => assignments.filter((_, i) => i % this.#workers.length === w);
    await Promise.all(
      this.#workers.map((worker, w) => ask(worker, { type: "connect", assignments: share(w) }, this.#signal)),
    );
  }

  async sampleLoads(): Promise<ThreadLoad[]> {
    const answers = await Promise.all(this.#workers.map((worker) => ask(worker, { type: "sample" })));
    return answers.map(({ load }) => load);
  }

  async report(): Promise<ArrivalReport[]> {
    const answers = await Promise.all(this.#workers.map((worker) => ask(worker, { type: "report" })));
    return answers.map(({ arrivals }) => arrivals);
  }

  /** @returns errors of the connections by code, one table per thread */
  async close(): Promise<Readonly<Record<string, number>>[]> {
    const answers = await Promise.allSettled(this.#workers.map((worker) => ask(worker, { type: "close" })));
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value.errors] : []));
  }
}

async function ask<T extends keyof typeof ANSWERS>(
  worker: Worker,
  order: ToReceiveThread & { type: T },
  signal?: AbortSignal,
): Promise<Answer<T>> {
  const answer = ANSWERS[order.type];
  return (await callThread(worker, order, { answer, ...(signal ? { signal } : {}) })) as Answer<T>;
}

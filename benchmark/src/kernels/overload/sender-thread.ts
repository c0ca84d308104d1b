import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FromSender, SenderReport, SenderSetup, ToSender } from "./sender-messages.ts";

/** The thread that sends, so that nothing else delays it. */
export class SenderThread {
  readonly #worker: Worker;

  constructor(setup: SenderSetup) {
    this.#worker = new Worker(new URL("./sender-worker.ts", import.meta.url), { workerData: setup });
  }

  /**
   * Resolves when all are connected and logged in.
   * @throws {Error} if the signal aborts before
   */
  async connect(tokens: string[], stalled: number, signal: AbortSignal): Promise<void> {
    const done = once(this.#worker, "message", { signal });
    this.order({ type: "connect", tokens, stalled });
    await done;
  }

  order(order: ToSender): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(order);
  }

  async report(): Promise<SenderReport> {
    const answer = once(this.#worker, "message");
    this.order({ type: "report" });
    const [message] = (await answer) as [FromSender & { type: "report" }];
    return message.report;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

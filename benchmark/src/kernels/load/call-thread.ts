import type { Worker } from "node:worker_threads";
import { connectError } from "../../cli/exit.ts";

export interface AskOptions {
  /** The type of the answering message. */
  answer: string;
  /** Stops the waiting, not the work. */
  signal?: AbortSignal;
}

/**
 * Sends a command to a thread and waits for its answer.
 * @throws {ExitError} with the text of a "failed" message
 * @throws {Error} if the thread exits
 */
export function callThread(
  worker: Worker,
  order: object,
  { answer, signal }: AskOptions,
): Promise<{ type: string }> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      signal?.removeEventListener("abort", onAbort);
      then();
    };
    const onMessage = (message: { type: string; message?: string }) => {
      if (message.type === "failed") settle(() => reject(connectError(message.message ?? "")));
      else if (message.type === answer) settle(() => resolve(message));
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error("A thread of the tester exited.")));
    const onAbort = () => settle(() => reject(signal!.reason as Error));
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal?.addEventListener("abort", onAbort, { once: true });
    postToThread(worker, order);
  });
}

export function postToThread(worker: Worker, order: object): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(order);
}

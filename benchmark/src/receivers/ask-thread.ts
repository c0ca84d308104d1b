import type { Worker } from "node:worker_threads";
import { connectError } from "../cli/exit.ts";

/**
 * Sends a command to a thread and waits for its answer; other messages may arrive in between.
 * @param wanted the type of the answer
 * @throws {ExitError} with the text of a "failed" message
 * @throws {Error} if the thread fails or exits
 */
export function askThread<Answer>(worker: Worker, order: object, wanted: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      then();
    };
    const onMessage = (message: { type: string; message?: string }) => {
      if (message.type === "failed") settle(() => reject(connectError(message.message!)));
      else if (message.type === wanted) settle(() => resolve(message as Answer));
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error("A thread of the tester exited.")));
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    tellThread(worker, order);
  });
}

export function tellThread(worker: Worker, order: object): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(order);
}

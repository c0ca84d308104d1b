import { fork } from "node:child_process";
import { once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { connectError } from "../cli/exit.ts";

/** What a thread or process does when it is asked. */
type Orders = Record<string, (...args: never[]) => unknown>;
type Question = { id: number; name: string; args: unknown[] };
type Reply = { id: number; value: unknown } | { id: number; failure: string };

/** A thread or a process of the tester, whose module calls `serveThread`. It answers in any order. */
export class Thread<O extends Orders, Event = never> {
  /** Why it ended by itself. */
  crash: Error | undefined;
  readonly #post: (message: object) => void;
  readonly #end: () => Promise<unknown>;
  readonly #onEvent: (event: Event) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;
  #ended: Error | undefined;
  #isEnding = false;

  /**
   * @param data for `startData`
   * @param isProcess it has file descriptors of its own, but no memory in common with this process
   */
  constructor(file: URL, data: object, onEvent: (event: Event) => void, isProcess = false) {
    this.#onEvent = onEvent;
    if (isProcess) {
      const child = fork(file, {
        // Ctrl-C reaches the whole process group; this process decides when the others exit.
        detached: true,
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        serialization: "advanced",
      });
      child.on("message", (message: Reply | { event: Event }) => this.#receive(message));
      child.once("exit", (code, signal) =>
        this.#fail(
          connectError(
            `A receiving process of the tester exited (${code ?? signal}), perhaps for lack of memory. Use more --processes or fewer --users.`,
          ),
        ),
      );
      // It may have just exited.
      this.#post = (message) => void child.send(message, () => {});
      this.#end = async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
      };
      this.#post(data);
    } else {
      const worker = new Worker(file, { workerData: data });
      worker.on("message", (message: Reply | { event: Event }) => this.#receive(message));
      worker.on("error", (error: Error) => this.#fail(error));
      worker.on("exit", () => this.#fail(new Error("A thread of the tester exited.")));
      this.#post = (message) => worker.postMessage(message);
      this.#end = () => worker.terminate();
    }
  }

  /**
   * @throws {ExitError} with the text of what it throws
   * @throws {Error} if it has ended
   */
  ask<Name extends keyof O & string>(
    name: Name,
    ...args: Parameters<O[Name]>
  ): Promise<Awaited<ReturnType<O[Name]>>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(++this.#asked, answer);
    this.#post({ id: this.#asked, name, args } satisfies Question);
    return answer.promise as Promise<Awaited<ReturnType<O[Name]>>>;
  }

  /** Doesn't wait for the answer. */
  tell<Name extends keyof O & string>(name: Name, ...args: Parameters<O[Name]>): void {
    this.#post({ id: 0, name, args } satisfies Question);
  }

  async terminate(): Promise<void> {
    this.#isEnding = true;
    await this.#end();
  }

  #receive(message: Reply | { event: Event }): void {
    if ("event" in message) {
      this.#onEvent(message.event);
      return;
    }
    const answer = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ("failure" in message) answer?.reject(connectError(message.failure));
    else answer?.resolve(message.value);
  }

  #fail(error: Error): void {
    if (!this.#isEnding) this.crash ??= error;
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

/** What the Thread gave to this thread or process. */
export async function startData<Data>(): Promise<Data> {
  return (parentPort ? workerData : (await once(process, "message"))[0]) as Data;
}

/** Answers the questions of the Thread. */
export function serveThread(orders: Orders): void {
  (parentPort ?? process).on("message", async ({ id, name, args }: Question) => {
    try {
      post({ id, value: await orders[name]!(...(args as never[])) });
    } catch (error) {
      post({ id, failure: (error as Error).message });
    }
  });
  if (!parentPort) process.on("disconnect", () => process.exit());
}

/** To the `onEvent` of the Thread. */
export function emit(event: unknown): void {
  post({ event });
}

function post(message: object): void {
  if (parentPort) parentPort.postMessage(message);
  // The parent may have exited.
  else if (process.connected) process.send?.(message);
}

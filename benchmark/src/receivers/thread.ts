import { parentPort, Worker } from "node:worker_threads";
import { connectError } from "../cli/exit.ts";

/** What another thread or process does when it is asked. */
type Orders = Record<string, (...args: never[]) => unknown>;
type Question = { id: number; name: string; args: unknown[] };
type Reply = { id: number; value: unknown } | { id: number; failure: string };

/** The asking side: of a thread or a process that answers in any order. */
export class Asker<O extends Orders> {
  readonly #send: (question: Question) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;
  #crash: Error | undefined;

  constructor(send: (question: Question) => void) {
    this.#send = send;
  }

  /**
   * @throws {ExitError} with the text of what it throws
   * @throws {Error} if it has ended
   */
  ask<Name extends keyof O & string>(
    name: Name,
    ...args: Parameters<O[Name]>
  ): Promise<Awaited<ReturnType<O[Name]>>> {
    if (this.#crash) return Promise.reject(this.#crash);
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(++this.#asked, answer);
    this.#send({ id: this.#asked, name, args });
    return answer.promise as Promise<Awaited<ReturnType<O[Name]>>>;
  }

  /** Doesn't wait for the answer. */
  tell<Name extends keyof O & string>(name: Name, ...args: Parameters<O[Name]>): void {
    this.#send({ id: 0, name, args });
  }

  receive(reply: Reply): void {
    const answer = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("failure" in reply) answer?.reject(connectError(reply.failure));
    else answer?.resolve(reply.value);
  }

  /** It has ended. */
  fail(error: Error): void {
    this.#crash ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#crash);
    this.#waiting.clear();
  }
}

/** The answering side. */
export async function answer(orders: Orders, { id, name, args }: Question): Promise<Reply> {
  try {
    return { id, value: await orders[name]!(...(args as never[])) };
  } catch (error) {
    return { id, failure: (error as Error).message };
  }
}

/** A thread whose module calls `serveThread`. */
export class Thread<O extends Orders, Event = never> extends Asker<O> {
  /** Why it ended by itself. */
  crash: Error | undefined;
  readonly #worker: Worker;

  constructor(file: URL, workerData: unknown, onEvent: (event: Event) => void) {
    super((question) => this.#worker.postMessage(question));
    this.#worker = new Worker(file, { workerData });
    this.#worker.on("message", (message: Reply | { event: Event }) => {
      if ("event" in message) onEvent(message.event);
      else this.receive(message);
    });
    this.#worker.on("error", (error: Error) => {
      this.crash = error;
      this.fail(error);
    });
    this.#worker.on("exit", () => this.fail(new Error("A thread of the tester exited.")));
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

export function serveThread(orders: Orders): void {
  parentPort!.on("message", async (question: Question) =>
    parentPort!.postMessage(await answer(orders, question)),
  );
}

/** From a thread, to the `onEvent` of its Thread. */
export function emit(event: unknown): void {
  parentPort!.postMessage({ event });
}

import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { Worker, type MessagePort } from "node:worker_threads";
import { connectionMemory, connectionCapacity, type ConnectionMemory } from "@fanfare/gateway";
import type { ThreadHub } from "@fanfare/fanout";
import type { Config, ThreadMetrics, Threads } from "@fanfare/kernel";

/** Startup data of a gateway thread. */
export interface ThreadSetup {
  config: Config;
  /** Connects it to the bus of the other threads. */
  bus: MessagePort;
  /** Shared memory in which all threads count their connections. */
  connections: ConnectionMemory;
}

export type ToThread =
  | { type: "metrics"; id: number; name: string | null }
  | { type: "check" }
  | { type: "stop" }
  | { type: "abandon" };

export type FromThread =
  | { type: "listening" }
  | { type: "failed"; error: Error }
  | { type: "metrics"; id: number; metrics: ThreadMetrics }
  /** Answers a check. */
  | { type: "alive" }
  | { type: "stopped" }
  /** After an uncaught error, which the thread has logged. */
  | { type: "crashed" }
  | { type: "abandoned" };

/** How long to wait for a thread's metrics, in milliseconds: a thread that is stuck must not hide those of others. */
const METRICS_TIMEOUT_MS = 2000;
/** A thread that has not responded for so many checks in a row is ended, and the process with it: it would keep its clients waiting forever. */
const MAX_UNANSWERED_CHECKS = 6;
const CHECK_INTERVAL_MS = 5000;
/** Limit of V8's young generation in megabytes (three times the semi-space), small because there are several threads. */
const YOUNG_GENERATION_MB = 12;

/**
 * Runs gateways in threads that share one port: the kernel distributes the connections (SO_REUSEPORT), so that one instance uses
 * several CPU cores for its sockets.
 */
export class GatewayThreads implements Threads {
  readonly port: number;
  readonly #workers: readonly Worker[];
  readonly #asked = new Map<number, (metrics: ThreadMetrics) => void>();
  #lastAsked = 0;
  #isStopping = false;

  private constructor(port: number, workers: readonly Worker[]) {
    this.port = port;
    this.#workers = workers;
  }

  /**
   * @param onFatal called when a thread ends unexpectedly
   * @throws {Error} of the first thread that can't start, after the others were stopped
   */
  static async start(
    config: Config,
    hub: ThreadHub,
    onFatal: (error: Error) => void,
  ): Promise<GatewayThreads> {
    const port = await freePort(config);
    const connections = connectionMemory(connectionCapacity(config));
    const ofThread: Config = { ...config, services: ["gateway"], port, gatewayThreads: 0 };
    const workers = Array.from({ length: config.gatewayThreads }, () =>
      startWorker(ofThread, connections, hub),
    );
    try {
      await Promise.all(workers.map(listening));
    } catch (error) {
      await Promise.all(workers.map((worker) => worker.terminate()));
      throw error;
    }
    const threads = new GatewayThreads(port, workers);
    for (const worker of workers) threads.#watch(worker, onFatal);
    return threads;
  }

  /** One list for each thread that responds in time. */
  async metrics(name: string | null): Promise<ThreadMetrics[]> {
    const responses = await Promise.all(this.#workers.map((worker) => this.#ask(worker, name)));
    return responses.filter((response) => response !== null);
  }

  /** Resolves when all threads have drained their connections. */
  async stop(): Promise<void> {
    await this.#end("stop", "stopped");
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /** Resolves when all threads have disconnected their clients; pending calls stay unanswered. */
  async abandon(): Promise<void> {
    await this.#end("abandon", "abandoned");
  }

  /** Also resolves if a thread can't, or has already ended. */
  async #end(type: "stop" | "abandon", answer: FromThread["type"]): Promise<void> {
    this.#isStopping = true;
    const ended = this.#workers.map((worker) =>
      Promise.race([messageOf(worker, answer), messageOf(worker, "failed"), exitOf(worker)]),
    );
    for (const worker of this.#workers) post(worker, { type });
    await Promise.all(ended);
  }

  #watch(worker: Worker, onFatal: (error: Error) => void): void {
    let cause: Error | undefined;
    // Checks are counted, not seconds: a machine that was suspended has done neither.
    let unanswered = 0;
    const checks = setInterval(() => {
      unanswered += 1;
      if (unanswered > MAX_UNANSWERED_CHECKS) {
        cause = new Error(`it did not respond for ${(MAX_UNANSWERED_CHECKS * CHECK_INTERVAL_MS) / 1000} s`);
        void worker.terminate();
      } else post(worker, { type: "check" });
    }, CHECK_INTERVAL_MS).unref();
    worker.on("error", (error: Error) => (cause = error));
    worker.on("exit", () => {
      clearInterval(checks);
      if (this.#isStopping) return;
      const reason = cause === undefined ? "" : `: ${cause.message}`;
      onFatal(new Error(`a gateway thread has ended${reason}`, { cause }));
    });
    worker.on("message", (message: FromThread) => {
      // The whole process ends as after an error of the main thread: uncaught-errors.ts.
      if (message.type === "crashed") throw new Error("a gateway thread had an uncaught error");
      if (message.type === "alive") unanswered = 0;
      if (message.type !== "metrics") return;
      this.#asked.get(message.id)?.(message.metrics);
      this.#asked.delete(message.id);
    });
  }

  #ask(worker: Worker, name: string | null): Promise<ThreadMetrics | null> {
    const id = ++this.#lastAsked;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#asked.delete(id);
        resolve(null);
      }, METRICS_TIMEOUT_MS);
      this.#asked.set(id, (metrics) => {
        clearTimeout(timer);
        resolve(metrics);
      });
      post(worker, { type: "metrics", id, name });
    });
  }
}

/**
 * Checks that the port is free by binding it exclusively first: a shared port could also be shared with another instance of the
 * same user, which must be an error.
 */
async function freePort({ host, port }: Config): Promise<number> {
  const server = createServer();
  server.listen(port, host);
  await once(server, "listening");
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return free;
}

function startWorker(config: Config, connections: ConnectionMemory, hub: ThreadHub): Worker {
  const bus = hub.connect();
  const setup: ThreadSetup = { config, bus, connections };
  return new Worker(new URL("./thread-main.ts", import.meta.url), {
    workerData: setup,
    transferList: [bus],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

async function listening(worker: Worker): Promise<void> {
  const message = await Promise.race([
    messageOf(worker, "listening"),
    messageOf(worker, "failed"),
    once(worker, "error").then(([error]) => Promise.reject(error as Error)),
  ]);
  if (message.type === "failed") throw message.error;
}

function messageOf<T extends FromThread["type"]>(worker: Worker, type: T): Promise<FromThread & { type: T }> {
  return new Promise((resolve) => {
    const onMessage = (message: FromThread): void => {
      if (message.type !== type) return;
      worker.off("message", onMessage);
      resolve(message as FromThread & { type: T });
    };
    worker.on("message", onMessage);
  });
}

const exitOf = (worker: Worker): Promise<unknown> =>
  new Promise((resolve) => {
    if (worker.threadId === -1) resolve(undefined);
    else worker.once("exit", resolve);
  });

function post(worker: Worker, order: ToThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(order);
}

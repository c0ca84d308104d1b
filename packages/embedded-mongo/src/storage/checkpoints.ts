import { Worker } from "node:worker_threads";
import type { Database } from "./database.ts";

/** Less of the write-ahead log is not worth writing into the data file: SQLite's own default. */
const LITTLE_BYTES = 4 * 1024 * 1024;

/** When the log is longer, the little that a checkpoint has left is written at once, so that the log begins anew. */
const LONG_BYTES = 64 * 1024 * 1024;

/** When the log is longer, writers wait for the thread: they are faster than it. */
const MAX_BYTES = 256 * 1024 * 1024;

/** What `PRAGMA wal_checkpoint` answers. */
export interface Checkpoint {
  /** Pages in the log. */
  readonly log: number;
  /** Of these, in the data file. */
  readonly done: number;
}

/**
 * Writes the log into the data file in a thread of its own, with a connection of its own: it may take seconds, and reads and
 * writes go on meanwhile. The thread is started when there is something to do.
 */
export class Checkpoints {
  readonly #file: string;
  readonly #database: Database;
  #worker: Worker | undefined;
  #isRunning = false;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(file: string, database: Database) {
    this.#file = file;
    this.#database = database;
  }

  /** Length of the log that is in use, in bytes. */
  get walBytes(): number {
    return this.#database.checkpoint("NOOP").log * this.#database.pageBytes;
  }

  /** Resolves when the checkpoint that runs is done, where the log is too long; undefined where it is not. */
  get room(): Promise<void> | undefined {
    return this.#room?.promise;
  }

  /** Begins a checkpoint when it is time for one. Not within a transaction. */
  check(): void {
    if (this.#isRunning) return;
    const { log, done } = this.#database.checkpoint("NOOP");
    const [length, left] = [log * this.#database.pageBytes, (log - done) * this.#database.pageBytes];
    if (left < LITTLE_BYTES) {
      if (length > LONG_BYTES) this.#database.checkpoint("PASSIVE");
      return;
    }
    if (length > MAX_BYTES) this.#room ??= Promise.withResolvers();
    this.#start();
  }

  async stop(): Promise<void> {
    if (!this.#worker) return;
    this.#worker.ref();
    const ended = new Promise((resolve) => this.#worker!.once("exit", resolve));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
    this.#worker.postMessage("stop");
    await ended;
  }

  #giveRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #start(): void {
    this.#isRunning = true;
    if (!this.#worker) {
      this.#worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
        workerData: this.#file,
      });
      this.#worker.unref();
      this.#worker.on("message", (hasProgressed: boolean) => {
        this.#isRunning = false;
        this.#giveRoom();
        // Where a backup reads what was before, the rest has to wait for it.
        if (hasProgressed && !this.#database.isOpen) this.check();
      });
      // Without it the log grows until the next one is started.
      this.#worker.on("error", () => {});
      this.#worker.on("exit", () => {
        this.#worker = undefined;
        this.#isRunning = false;
        this.#giveRoom();
      });
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
    this.#worker.postMessage("checkpoint");
  }
}

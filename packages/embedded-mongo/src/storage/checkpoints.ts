import fs from "node:fs";
import { Worker } from "node:worker_threads";
import type { Database } from "./database.ts";
import type { Wal } from "./wal.ts";

/** The log size that starts a checkpoint. Larger ones write a page that changes often only once. */
const LITTLE_BYTES = 32 * 1024 * 1024;

/**
 * Above this log size, long commands that write wait until SQLite can restart the log. If others write meanwhile, the main thread
 * checkpoints the remainder itself.
 */
const LONG_BYTES = 64 * 1024 * 1024;

/** The maximum remainder. The main thread waits for its sync. */
const SHORT_BYTES = 1024 * 1024;

/** Above this log size, writes are acknowledged only when nearly all of the log has been checkpointed, so that SQLite can restart it. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Result of `PRAGMA wal_checkpoint`. */
export interface Checkpoint {
  /** Pages in the log. */
  readonly log: number;
  /** Pages that are already in the data file. */
  readonly done: number;
}

/**
 * Checkpoints the write-ahead log in a separate thread, because a checkpoint can take seconds and must not block reads and
 * writes. The thread is started when it is first needed.
 */
export class Checkpoints {
  readonly #file: string;
  /** Must be closed after the database: SQLite's locks end when any descriptor of the file is closed. */
  readonly #fd: number;
  readonly #database: Database;
  readonly #wal: Wal;
  #worker: Worker | undefined;
  #isRunning = false;
  #isStopped = false;
  #room: PromiseWithResolvers<void> | undefined;
  #restart: PromiseWithResolvers<void> | undefined;
  #known: Checkpoint = { log: 0, done: 0 };

  constructor(file: string, database: Database, wal: Wal) {
    this.#file = file;
    this.#fd = fs.openSync(file, "r+");
    this.#database = database;
    this.#wal = wal;
  }

  /** Size of the used part of the log in bytes. */
  get walBytes(): number {
    return this.#state.log * this.#database.pageBytes;
  }

  /** The last known state during a transaction, when SQLite can't report it. */
  get #state(): Checkpoint {
    if (!this.#database.isOpen) this.#known = this.#database.checkpoint("NOOP");
    return this.#known;
  }

  /** Backpressure: resolves when the log can be restarted. undefined if it is short enough. */
  get room(): Promise<void> | undefined {
    return this.#room?.promise;
  }

  /** Resolves when long commands that write can continue; undefined if immediately. */
  get restart(): Promise<void> | undefined {
    return this.#restart?.promise;
  }

  /**
   * Starts a checkpoint if one is due. Must not be called in a transaction.
   * @returns whether to check again although nothing is written: one is running
   */
  check(): boolean {
    if (this.#isRunning || this.#isStopped) return this.#isRunning;
    const { log, done } = this.#state;
    const [length, left] = [log * this.#database.pageBytes, (log - done) * this.#database.pageBytes];
    const isLong = length > LONG_BYTES;
    const isEnough = isLong ? this.#restart && left < SHORT_BYTES : left < LITTLE_BYTES;
    if (left === 0 || isEnough) {
      if (left > 0 && isLong) this.#database.checkpoint("PASSIVE");
      this.#giveRoom();
      return false;
    }
    if (isLong) this.#restart ??= Promise.withResolvers();
    if (length > MAX_BYTES) this.#room ??= Promise.withResolvers();
    this.#start();
    return true;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (!this.#worker) return;
    this.#worker.ref();
    const ended = new Promise((resolve) => this.#worker!.once("exit", resolve));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
    this.#worker.postMessage("stop");
    await ended;
  }

  /** Call it after the database was closed. */
  close(): void {
    fs.closeSync(this.#fd);
  }

  #giveRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
    this.#restart?.resolve();
    this.#restart = undefined;
  }

  /** Syncs both files in the thread pool, so that a checkpoint of the main thread has little to sync. The log reports its errors itself. */
  async #sync(): Promise<void> {
    await this.#wal.sync().catch(() => {});
    await new Promise((resolve) => fs.fdatasync(this.#fd, resolve));
  }

  #start(): void {
    this.#isRunning = true;
    if (!this.#worker) {
      this.#worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
        workerData: this.#file,
      });
      this.#worker.unref();
      this.#worker.on("message", async (hasProgressed: boolean) => {
        if (hasProgressed) await this.#sync();
        this.#isRunning = false;
        // Without progress, a backup still reads the old pages: retry on the next tick instead of immediately.
        if (!hasProgressed) this.#giveRoom();
        else if (!this.#database.isOpen) this.check();
      });
      // The next check starts another one.
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

import fs from "node:fs";
import { SyncFailedError } from "../errors.ts";
import { SyncedNote } from "./check-files.ts";

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Syncs SQLite's write-ahead log off the event loop. After the first failure all syncs fail, because the operating system
 * can have dropped pages.
 * Source: https://www.sqlite.org/wal.html. fdatasync on any descriptor syncs all data of the file.
 */
export class Wal {
  readonly #fd: number;
  readonly #note: SyncedNote;
  readonly #onFailure: (error: SyncFailedError) => void;
  /** The number of the last commit. */
  #written = 0;
  #synced = 0;
  #waiting: Waiter[] = [];
  /** The callers of the running sync, and the last commit that it covers. */
  #round: Waiter[] = [];
  #roundWritten = -1;
  #syncing: Promise<void> | undefined;
  #failure: SyncFailedError | undefined;

  /** @param file the data file, whose log exists */
  constructor(file: string, onFailure: (error: SyncFailedError) => void) {
    this.#fd = fs.openSync(`${file}-wal`, "r+");
    this.#note = new SyncedNote(file);
    this.#onFailure = onFailure;
    // Commits of the previous process can be unsynced, and must be on disk before majority reads return them.
    fs.fdatasyncSync(this.#fd);
  }

  /** Resolves when the running syncs have ended; undefined if there are none. */
  get syncing(): Promise<void> | undefined {
    return this.#syncing;
  }

  committed(commit: number): void {
    this.#written = commit;
  }

  /** Resolves when all commits so far are on disk. Callers share the running sync if it covers their commits, otherwise the next one. */
  sync(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#synced === this.#written) return Promise.resolve();
    const callers = this.#roundWritten === this.#written ? this.#round : this.#waiting;
    const done = new Promise<void>((resolve, reject) => callers.push({ resolve, reject }));
    this.#syncing ??= this.#syncRounds();
    return done;
  }

  async close(): Promise<void> {
    await this.#syncing;
    this.#note.close();
    fs.closeSync(this.#fd);
  }

  async #syncRounds(): Promise<void> {
    while (this.#waiting.length > 0) {
      const round = this.#waiting;
      this.#waiting = [];
      this.#round = round;
      const written = this.#written;
      this.#roundWritten = written;
      try {
        await new Promise<void>((resolve, reject) =>
          fs.fdatasync(this.#fd, (error) => (error ? reject(error) : resolve())),
        );
        this.#note.write(written);
      } catch (error) {
        this.#failure = new SyncFailedError(error);
        this.#onFailure(this.#failure);
        for (const waiter of [...round, ...this.#waiting]) waiter.reject(this.#failure);
        this.#waiting = [];
        break;
      }
      this.#synced = written;
      this.#roundWritten = -1;
      for (const waiter of round) waiter.resolve();
    }
    this.#syncing = undefined;
  }
}

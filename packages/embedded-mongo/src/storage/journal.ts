import fs from "node:fs";
import path from "node:path";
import { JournalFailedError } from "../errors.ts";
import { journalFile, syncFolder, writeFully } from "./files.ts";
import { encodeFileHeader, encodeFrame, FILE_HEADER_BYTES } from "./frame.ts";

/** A flush of more closes one frame and opens the next. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024;

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** The append-only file. After the first failure to write or sync, everything fails: nothing more is acknowledged. */
export class Journal {
  readonly #dir: string;
  readonly #onFailure: (error: JournalFailedError) => void;
  #fd: number;
  #sequence: number;
  #length: number;
  #synced: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #waiting: Waiter[] = [];
  /** The callers of the sync that runs now, and how much of the present file it is sure to cover. */
  #round: Waiter[] = [];
  #roundLength = 0;
  #syncing: Promise<void> | undefined;
  #failure: JournalFailedError | undefined;

  private constructor(
    dir: string,
    sequence: number,
    fd: number,
    length: number,
    onFailure: (error: JournalFailedError) => void,
  ) {
    this.#dir = dir;
    this.#sequence = sequence;
    this.#fd = fd;
    this.#length = length;
    this.#synced = length;
    this.#onFailure = onFailure;
  }

  static create(dir: string, sequence: number, onFailure: (error: JournalFailedError) => void): Journal {
    return new Journal(dir, sequence, createJournalFile(dir, sequence), FILE_HEADER_BYTES, onFailure);
  }

  /** Goes on with a journal; what lies behind `length` is cut off. */
  static resume(
    dir: string,
    sequence: number,
    length: number,
    onFailure: (error: JournalFailedError) => void,
  ): Journal {
    if (length < FILE_HEADER_BYTES) return Journal.create(dir, sequence, onFailure);
    const file = journalFile(dir, sequence);
    fs.truncateSync(file, length);
    const fd = fs.openSync(file, "a");
    fs.fsyncSync(fd);
    return new Journal(dir, sequence, fd, length, onFailure);
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Length of the present file, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Operations appended and not flushed yet. */
  get pendingOperations(): number {
    return this.#pending.length;
  }

  append(operation: Buffer): void {
    this.#pending.push(operation);
    this.#pendingBytes += operation.length;
    if (this.#pendingBytes >= MAX_FRAME_BYTES) this.flush();
  }

  /**
   * Hands everything appended so far to the operating system: from then on it survives the end of this process.
   * @throws JournalFailedError
   */
  flush(): void {
    if (this.#failure) throw this.#failure;
    if (this.#pending.length === 0) return;
    const frame = encodeFrame(this.#pending, this.#synced);
    this.#pending = [];
    this.#pendingBytes = 0;
    try {
      writeFully(this.#fd, frame);
    } catch (error) {
      throw this.#fail(error);
    }
    this.#length += frame.length;
  }

  /**
   * Flushes, and resolves when all of it is on disk. Callers that come while a sync runs share it when nothing was
   * appended since it began, and the next one otherwise.
   */
  sync(): Promise<void> {
    try {
      this.flush();
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#synced === this.#length) return Promise.resolve();
    const callers = this.#roundLength === this.#length ? this.#round : this.#waiting;
    const done = new Promise<void>((resolve, reject) => callers.push({ resolve, reject }));
    this.#syncing ??= this.#syncRounds();
    return done;
  }

  /** Ends the present file, durably, and starts the next one. Blocks for the time of two syncs. */
  rotate(): void {
    this.flush();
    try {
      fs.fdatasyncSync(this.#fd);
      const next = createJournalFile(this.#dir, this.#sequence + 1);
      const old = this.#fd;
      this.#fd = next;
      this.#sequence++;
      this.#length = FILE_HEADER_BYTES;
      this.#synced = FILE_HEADER_BYTES;
      this.#roundLength = 0;
      const close = () => fs.closeSync(old);
      if (this.#syncing) this.#syncing.then(close, close);
      else close();
    } catch (error) {
      throw this.#fail(error);
    }
  }

  async close(): Promise<void> {
    await this.sync();
    await this.#syncing;
    fs.closeSync(this.#fd);
  }

  async #syncRounds(): Promise<void> {
    while (this.#waiting.length > 0) {
      const round = this.#waiting;
      this.#waiting = [];
      const [fd, sequence, length] = [this.#fd, this.#sequence, this.#length];
      this.#round = round;
      this.#roundLength = length;
      try {
        await new Promise<void>((resolve, reject) =>
          fs.fdatasync(fd, (error) => (error ? reject(error) : resolve())),
        );
      } catch (error) {
        const failure = this.#fail(error);
        for (const waiter of [...round, ...this.#waiting]) waiter.reject(failure);
        this.#waiting = [];
        break;
      }
      if (sequence === this.#sequence) this.#synced = Math.max(this.#synced, length);
      this.#roundLength = 0;
      for (const waiter of round) waiter.resolve();
    }
    this.#syncing = undefined;
  }

  #fail(cause: unknown): JournalFailedError {
    if (!this.#failure) {
      this.#failure = new JournalFailedError(this.#dir, cause);
      this.#onFailure(this.#failure);
    }
    return this.#failure;
  }
}

function createJournalFile(dir: string, sequence: number): number {
  const fd = fs.openSync(journalFile(dir, sequence), "w", 0o600);
  writeFully(fd, encodeFileHeader(sequence));
  fs.fsyncSync(fd);
  syncFolder(path.resolve(dir));
  return fd;
}

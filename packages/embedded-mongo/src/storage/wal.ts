import fs from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { SyncFailedError, DataFolderCorruptError } from "../errors.ts";

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

const HEADER_BYTES = 100;
const LOG_HEADER_BYTES = 32;

/** u64 commit number | u32 CRC-32 of it */
const NOTE_BYTES = 12;

const notePath = (file: string): string => `${file}-synced`;

/**
 * Stores the number of the last synced commit in a small file next to the data file. After a crash, SQLite uses the intact beginning of
 * its log and silently drops the rest; this number shows whether synced commits were lost.
 */
class SyncedNote {
  readonly #fd: number;
  readonly #note = Buffer.alloc(NOTE_BYTES);

  constructor(file: string) {
    this.#fd = fs.openSync(notePath(file), fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
  }

  write(commit: number): void {
    this.#note.writeBigUInt64LE(BigInt(commit), 0);
    this.#note.writeUInt32LE(crc32(this.#note.subarray(0, 8)), 8);
    fs.writeSync(this.#fd, this.#note, 0, NOTE_BYTES, 0);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

function readNote(file: string): number {
  const note = readStart(notePath(file), NOTE_BYTES);
  const isIntact = note?.length === NOTE_BYTES && note.readUInt32LE(8) === crc32(note.subarray(0, 8));
  return isIntact ? Number(note.readBigUInt64LE(0)) : 0;
}

/**
 * Finds damage that SQLite doesn't report.
 * @throws DataFolderCorruptError if a file is missing or truncated, or synced commits were lost. The files are left unchanged.
 */
export function checkFiles(file: string): void {
  const header = readStart(file, HEADER_BYTES);
  if (header === undefined) throw new DataFolderCorruptError(file, "the file is missing");
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0")
    throw new DataFolderCorruptError(file, "it is empty or not a SQLite file");
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const [expected, { size }] = [header.readUInt32BE(28) * pageBytes, fs.statSync(file)];
  const log = fs.statSync(`${file}-wal`, { throwIfNoEntry: false });
  // If there is a log, an interrupted checkpoint can be the reason.
  if (size < expected && (log?.size ?? 0) <= LOG_HEADER_BYTES)
    throw new DataFolderCorruptError(file, `it has ${size} of ${expected} bytes`);
  const [noted, found] = [readNote(file), lastCommit(file)];
  if (found >= noted) return;
  throw new DataFolderCorruptError(
    `${file}-wal`,
    `it is missing or damaged: the last ${noted - found} commits are lost. To continue without them, delete ${notePath(file)}`,
  );
}

/** A read-only connection leaves an existing log unchanged, and creates an empty one if there is none. */
function lastCommit(file: string): number {
  const hasLog = fs.existsSync(`${file}-wal`);
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return Number(database.prepare("SELECT number FROM lastCommit").get()?.["number"]);
    } finally {
      database.close();
    }
  } catch (error) {
    throw new DataFolderCorruptError(file, `it cannot be read: ${(error as Error).message}`);
  } finally {
    if (!hasLog) fs.rmSync(`${file}-wal`, { force: true });
  }
}

function readStart(file: string, length: number): Buffer | undefined {
  if (!fs.existsSync(file)) return undefined;
  const fd = fs.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, 0));
  } finally {
    fs.closeSync(fd);
  }
}

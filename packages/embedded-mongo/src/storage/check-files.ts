import fs from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { DataFolderCorruptError } from "../errors.ts";

const HEADER_BYTES = 100;
const LOG_HEADER_BYTES = 32;

/** u64 commit number | u32 CRC-32 of it */
const NOTE_BYTES = 12;

const notePath = (file: string): string => `${file}-synced`;

/**
 * Stores the number of the last synced commit in a small file next to the data file. After a crash, SQLite uses the intact beginning of
 * its log and silently drops the rest; this number shows whether synced commits were lost.
 */
export class SyncedNote {
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

import fs from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import { runToEnd } from "../command-scope.ts";
import { DataFolderCorruptError } from "../errors.ts";
import { type IndexSpec, parseIndexSpec } from "../index/spec.ts";
import { decodePlain } from "../values/codec.ts";
import { encodeKey } from "../values/order.ts";
import type { PlainObject } from "../values/types.ts";
import { Catalog } from "./catalog.ts";
import type { Collection } from "./collection.ts";
import { Database, type DatabaseOptions } from "./database.ts";

/*
 * The format until November 2026, when documents were held in memory: a journal of all changes, `journal-N.log`, and the state before
 * journal N, `snapshot-N.log`. A file consists of a header and frames:
 *   header: "FANFARE1" | u64 sequence number of the file
 *   frame:  u32 payload length | u32 CRC-32 of what follows | u64 synced | payload
 * `synced` is the length known to be on disk when the frame was written: a broken frame before that point is damage, one after it is
 * an unfinished write. A payload consists of operations:
 *   1 | u32 collection | BSON document            put (insert, or replace by `_id`)
 *   2 | u32 collection | u32 length | key bytes   remove the document with this encoded `_id`
 *   3 | BSON change of the catalog
 *   4                                             end of a snapshot
 * All integers are little-endian.
 */
const HEADER_BYTES = 16;
const FRAME_HEADER_BYTES = 16;
const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;
const OLD_FILE = /^(journal|snapshot)-(\d+)\.log(\.tmp)?$/;

type CatalogChange =
  | { type: "create"; collection: number; db: string; name: string }
  | { type: "drop"; collection: number }
  | { type: "rename"; collection: number; db: string; name: string }
  | { type: "createIndex"; collection: number; definition: PlainObject }
  | { type: "dropIndex"; collection: number; name: string };

export const oldFiles = (dir: string): string[] => fs.readdirSync(dir).filter((name) => OLD_FILE.test(name));

export function removeOldFiles(dir: string): void {
  for (const name of oldFiles(dir)) fs.rmSync(path.join(dir, name));
}

/**
 * Converts a folder in the old format to a new data file and verifies it.
 * @param report called with the progress periodically
 * @throws DataFolderCorruptError if a file is damaged; the old files are never changed
 */
export function convertOldFiles(
  dir: string,
  file: string,
  options: DatabaseOptions,
  report: (message: string) => void,
): void {
  for (const leftover of [file, `${file}-wal`, `${file}-shm`]) fs.rmSync(leftover, { force: true });
  const database = new Database(file, options);
  try {
    Catalog.prepare(database);
    const conversion = new Conversion(database, report);
    conversion.finish(readFolder(dir, conversion));
  } finally {
    database.close();
  }
}

/** @returns the size of an unfinished write at the end of the journal, in bytes */
function readFolder(dir: string, conversion: Conversion): number {
  const numbersOf = (kind: string) =>
    oldFiles(dir)
      .flatMap((name) =>
        name.startsWith(kind) && !name.endsWith(".tmp") ? [Number(OLD_FILE.exec(name)![2])] : [],
      )
      .sort((a, b) => a - b);
  const place = (kind: string, sequence: number) => path.join(dir, `${kind}-${sequence}.log`);
  const snapshot = numbersOf("snapshot").at(-1);
  const first = snapshot ?? 1;
  const journals = numbersOf("journal").filter((sequence) => sequence >= first);
  for (let sequence = first; sequence <= (journals.at(-1) ?? first); sequence++) {
    if (!journals.includes(sequence))
      throw new DataFolderCorruptError(place("journal", sequence), "the file is missing");
  }
  if (snapshot !== undefined) {
    readFile(place("snapshot", snapshot), snapshot, conversion, false);
    if (!conversion.hasEnd)
      throw new DataFolderCorruptError(place("snapshot", snapshot), "the end is missing");
  }
  let droppedBytes = 0;
  for (const sequence of journals) {
    const isLast = sequence === journals.at(-1);
    droppedBytes = readFile(place("journal", sequence), sequence, conversion, isLast);
  }
  return droppedBytes;
}

/** @returns the size of an unfinished write at the end, in bytes */
function readFile(file: string, sequence: number, conversion: Conversion, isLast: boolean): number {
  const fd = fs.openSync(file, "r");
  try {
    const { size } = fs.fstatSync(fd);
    const header = read(fd, 0, HEADER_BYTES);
    if (header.length < HEADER_BYTES || header.toString("latin1", 0, 8) !== "FANFARE1")
      throw new DataFolderCorruptError(file, "the header is missing");
    if (header.readBigUInt64LE(8) !== BigInt(sequence))
      throw new DataFolderCorruptError(file, "the header is that of another file");
    let at = HEADER_BYTES;
    while (at < size) {
      const payload = frameAt(fd, at);
      if (payload === undefined) {
        if (!isLast || hasProofOfDamage(read(fd, at, size - at), at))
          throw new DataFolderCorruptError(file, `it is damaged at byte ${at}`);
        return size - at;
      }
      conversion.apply(payload);
      at += FRAME_HEADER_BYTES + payload.length;
    }
    return 0;
  } finally {
    fs.closeSync(fd);
  }
}

function read(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = fs.readSync(fd, bytes, filled, length - filled, at + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

function frameAt(fd: number, at: number): Buffer | undefined {
  const header = read(fd, at, FRAME_HEADER_BYTES);
  if (header.length < FRAME_HEADER_BYTES) return undefined;
  const length = header.readUInt32LE(0);
  if (length === 0 || length > MAX_PAYLOAD_BYTES) return undefined;
  return intactPayload(read(fd, at, FRAME_HEADER_BYTES + length), length);
}

function intactPayload(frame: Buffer, length: number): Buffer | undefined {
  const end = FRAME_HEADER_BYTES + length;
  if (frame.length < end || crc32(frame.subarray(8, end)) !== frame.readUInt32LE(4)) return undefined;
  return frame.subarray(FRAME_HEADER_BYTES, end);
}

/** Whether a later intact frame proves that the broken frame was completely on disk. */
function hasProofOfDamage(rest: Buffer, brokenAt: number): boolean {
  for (let at = 1; at <= rest.length - FRAME_HEADER_BYTES; at++) {
    const synced = rest.readUInt32LE(at + 8) + rest.readUInt32LE(at + 12) * 2 ** 32;
    if (synced <= brokenAt || synced > brokenAt + at) continue;
    const length = rest.readUInt32LE(at);
    if (length > 0 && length <= MAX_PAYLOAD_BYTES && intactPayload(rest.subarray(at), length)) return true;
  }
  return false;
}

/** 64 MiB. */
const LONG_LOG_PAGES = 16_384;
const REPORT_EVERY_MS = 2000;

class Conversion {
  readonly #database: Database;
  readonly #catalog: Catalog;
  readonly #report: (message: string) => void;
  readonly #collections = new Map<number, Collection>();
  readonly #indexes = new Map<number, Map<string, IndexSpec>>();
  #operations = 0;
  #reportedMs = Date.now();
  hasEnd = false;

  constructor(database: Database, report: (message: string) => void) {
    this.#database = database;
    this.#catalog = new Catalog(database);
    this.#report = report;
  }

  /** @throws Error if the bytes are invalid */
  apply(payload: Buffer): void {
    let at = 0;
    while (at < payload.length) {
      const code = payload[at];
      if (code === 4) {
        this.hasEnd = true;
        at += 1;
        continue;
      }
      const start = code === 3 ? at + 1 : at + 5;
      const collection = () => this.#collections.get(payload.readUInt32LE(at + 1));
      const end = code === 2 ? at + 9 + payload.readUInt32LE(start) : start + payload.readInt32LE(start);
      const bytes = payload.subarray(code === 2 ? start + 4 : start, end);
      if (code === 1) collection()?.put(encodeKey(decodePlain(bytes)["_id"]), bytes);
      else if (code === 2) collection()?.removeId(bytes.toString("latin1"));
      else if (code === 3) this.#change(decodePlain(bytes) as CatalogChange);
      else throw new Error(`unknown operation ${code}`);
      this.#operations++;
      at = end;
    }
    this.#database.commit();
    if (this.#database.checkpoint("NOOP").log > LONG_LOG_PAGES) this.#database.checkpoint("PASSIVE");
    if (Date.now() - this.#reportedMs > REPORT_EVERY_MS) this.#say(`${this.#operations} changes`);
  }

  finish(droppedBytes: number): void {
    if (droppedBytes > 0)
      this.#say(`dropping ${droppedBytes} bytes of an unfinished write at the end of the journal`);
    for (const [number, specs] of this.#indexes) {
      const collection = this.#collections.get(number);
      if (!collection) continue;
      this.#say(`indexes of ${collection.namespace}, ${collection.count} documents`);
      for (const spec of specs.values()) runToEnd(collection.createIndex(spec));
      this.#database.commit();
    }
    this.#say("checking the result");
    for (const collection of this.#catalog.collections()) collection.verify();
    this.#database.check();
  }

  #say(what: string): void {
    this.#reportedMs = Date.now();
    this.#report(`converting the data folder to SQLite: ${what}`);
  }

  #change(change: CatalogChange): void {
    const indexes = this.#indexes.get(change.collection) ?? new Map<string, IndexSpec>();
    this.#indexes.set(change.collection, indexes);
    const collection = this.#collections.get(change.collection);
    if (change.type === "create")
      this.#collections.set(change.collection, this.#catalog.create(change.db, change.name));
    else if (change.type === "createIndex") {
      const spec = parseIndexSpec(change.definition);
      indexes.set(spec.name, spec);
    } else if (change.type === "dropIndex") indexes.delete(change.name);
    else if (collection && change.type === "rename") this.#catalog.rename(collection, change.db, change.name);
    else if (collection && change.type === "drop") {
      this.#catalog.drop(collection);
      this.#collections.delete(change.collection);
      this.#indexes.delete(change.collection);
    }
  }
}

import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Config } from "@fanfare/kernel";
import { assertRestored } from "@fanfare/kernel/migrations";
import { CliError } from "../command.ts";
import { withDatabase } from "../open-instance.ts";
import { assertAbsent, writeFileAtomically } from "../write-file.ts";
import {
  encodeFrame,
  encodeJson,
  FORMAT,
  FORMAT_VERSION,
  openEverything,
  readInOrder,
  SEARCH_COLLECTIONS,
  type StoredDocument,
} from "./format.ts";
import { isDraft, listFiles, openFile, type BackedUpFile } from "./files.ts";
import type { mongo } from "mongoose";

/** A constant size, so that the same content compresses to the same bytes. */
const PIECE_BYTES = 64 * 1024;

export interface Summary {
  /** Number of documents by collection, without empty ones. */
  collections: Record<string, number>;
  files: number;
}

type Source = Pick<Config, "mongoUrl" | "dataDir" | "filesDir">;

/** `running`: a consistent snapshot of a running instance. `stopped`: no instance was running. `mongodb`: unknown. */
export type BackedUpWhile = "running" | "stopped" | "mongodb";

/**
 * Writes a backup to a file that only gets its name when it is complete, or to standard output for null. The same content of a
 * stopped instance produces the same bytes.
 * @throws {CliError} when the file exists, or the database of a running instance is unreachable
 */
export async function writeBackup(
  config: Source,
  file: string | null,
): Promise<Summary & { while: BackedUpWhile }> {
  if (file !== null) assertAbsent(file);
  return withDatabase(config, async ({ db, isEmbedded }, isRunning) => {
    await assertRestored(db);
    const hasOneMoment = isRunning && isEmbedded;
    const summary: Summary = { collections: {}, files: 0 };
    const parts = hasOneMoment ? framesOfRunning(db, config, summary) : framesOfStopped(db, config, summary);
    const packed = [inPieces(frames(parts, summary)), createGzip()] as const;
    if (file === null) await pipeline(...packed, process.stdout, { end: false });
    else await writeFileAtomically(file, (target) => pipeline(...packed, target));
    return { ...summary, while: hasOneMoment ? "running" : isRunning ? "mongodb" : "stopped" };
  });
}

async function* frames(parts: AsyncIterable<Buffer>, summary: Summary): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const frame of parts) {
    hash.update(frame);
    yield frame;
  }
  yield encodeJson("E", { ...summary, sha256: hash.digest("hex") });
}

async function* framesOfStopped(db: mongo.Db, config: Source, summary: Summary): AsyncGenerator<Buffer> {
  yield encodeJson("H", { format: FORMAT, version: FORMAT_VERSION });
  yield* documentFrames(readInOrder(db), summary);
  for (const file of await listFiles(config)) yield* fileFrames(file, summary);
}

/** So many can be written while the snapshot isn't read, which closes after ten minutes. */
const FEW_BYTES = 16 * 1024 * 1024;

/**
 * Writes the existing files, opens the snapshot of the database, then writes newer files. So the backup contains every file that
 * the snapshot refers to; those deleted before it are removed by a restore.
 */
async function* framesOfRunning(db: mongo.Db, config: Source, summary: Summary): AsyncGenerator<Buffer> {
  yield encodeJson("H", { format: FORMAT, version: FORMAT_VERSION, running: true });
  const written = new Set<string>();
  async function* newFiles(): AsyncGenerator<Buffer, number> {
    let bytes = 0;
    for (const file of await listFiles(config)) {
      if (isDraft(file) || written.has(file.path)) continue;
      written.add(file.path);
      bytes += file.bytes;
      yield* fileFrames(file, summary);
    }
    return bytes;
  }
  // Ends even if files are uploaded faster than they are written here.
  for (let before = Infinity, bytes; ; before = bytes) {
    bytes = yield* newFiles();
    if (bytes <= FEW_BYTES || bytes >= before) break;
  }
  const everything = await openEverything(db);
  yield* newFiles();
  yield* documentFrames(everything, summary);
}

async function* documentFrames(
  documents: AsyncIterable<StoredDocument>,
  { collections }: Summary,
): AsyncGenerator<Buffer> {
  for await (const { collection, bytes } of documents) {
    if (SEARCH_COLLECTIONS.includes(collection)) continue;
    const count = collections[collection] ?? 0;
    if (count === 0) yield encodeFrame("C", Buffer.from(collection));
    collections[collection] = count + 1;
    yield encodeFrame("D", bytes);
  }
}

async function* fileFrames(file: BackedUpFile, summary: Summary): AsyncGenerator<Buffer> {
  const content = await openFile(file);
  if (content === null) return;
  yield encodeJson("F", { path: file.path, bytes: file.bytes });
  let bytes = 0;
  for await (const part of content) {
    bytes += part.length;
    yield encodeFrame("B", part);
  }
  if (bytes !== file.bytes)
    throw new CliError(`${file.location} changed while it was read. Stop the program that writes to it.`);
  summary.files += 1;
}

async function* inPieces(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const part of parts) {
    waiting.push(part);
    size += part.length;
    if (size < PIECE_BYTES) continue;
    const all = Buffer.concat(waiting);
    const whole = all.length - (all.length % PIECE_BYTES);
    for (let at = 0; at < whole; at += PIECE_BYTES) yield all.subarray(at, at + PIECE_BYTES);
    waiting = whole === all.length ? [] : [all.subarray(whole)];
    size = all.length - whole;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

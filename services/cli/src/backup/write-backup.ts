import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { access, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Config } from "@fanfare/kernel";
import { CliError } from "../cli-error.ts";
import { withStopped } from "../open-stopped.ts";
import { databaseOf, listCollections, readDocuments } from "./documents.ts";
import { listFiles, readBytes } from "./files.ts";
import { encodeFrame, encodeJson, FORMAT, FORMAT_VERSION } from "./frames.ts";
import type { mongo } from "mongoose";

/** Always the same pieces for the same content, so that the compressed bytes are the same too. */
const PIECE_BYTES = 64 * 1024;

export interface Summary {
  /** How many documents each collection has; those without any are left out. */
  collections: Record<string, number>;
  files: number;
}

type Source = Pick<Config, "mongoUrl" | "dataDir" | "filesDir">;

/**
 * Writes everything of an instance into a file, which has its name only when it is whole.
 * The same content gives the same bytes.
 * @throws {CliError} when the file exists, or a running instance holds the data folder
 */
export async function writeBackup(config: Source, file: string): Promise<Summary> {
  if (await exists(file)) throw new CliError(`${file} exists already. Choose another name, or delete it.`);
  return withStopped(config, async ({ connection }) => {
    const summary: Summary = { collections: {}, files: 0 };
    const unfinished = `${file}.unfinished`;
    try {
      await pipeline(
        inPieces(frames(databaseOf(connection), config, summary)),
        createGzip(),
        createWriteStream(unfinished, { mode: 0o600, flush: true }),
      );
      await rename(unfinished, file);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    return summary;
  });
}

async function* frames(db: mongo.Db, config: Source, summary: Summary): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const frame of content(db, config, summary)) {
    hash.update(frame);
    yield frame;
  }
  yield encodeJson("E", { ...summary, sha256: hash.digest("hex") });
}

async function* content(db: mongo.Db, config: Source, summary: Summary): AsyncGenerator<Buffer> {
  yield encodeJson("H", { format: FORMAT, version: FORMAT_VERSION });
  for (const name of await listCollections(db)) {
    let count = 0;
    for await (const document of readDocuments(db, name)) {
      if (count === 0) yield encodeFrame("C", Buffer.from(name));
      count += 1;
      yield encodeFrame("D", document);
    }
    if (count > 0) summary.collections[name] = count;
  }
  for (const file of await listFiles(config)) {
    yield encodeJson("F", { path: file.path, bytes: file.bytes });
    let bytes = 0;
    for await (const part of readBytes(file)) {
      bytes += part.length;
      yield encodeFrame("B", part);
    }
    if (bytes !== file.bytes)
      throw new CliError(`${file.location} changed meanwhile: stop what writes to it.`);
    summary.files += 1;
  }
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

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

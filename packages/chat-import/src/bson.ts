import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { mongo } from "mongoose";
import type { z } from "zod";
import { type Bytes, InvalidExportError } from "./inputs.ts";

/** MongoDB's own limit is 16 MiB for users' documents. */
const MAX_DOCUMENT_BYTES = 17 * 1024 * 1024;
const LENGTH_BYTES = 4;
const MIN_DOCUMENT_BYTES = 5;

type ReadCollection = <S extends z.ZodType>(collection: string, schema: S) => AsyncGenerator<z.output<S>>;

/**
 * Reads collections of a folder that `mongodump` has made, with or without `--gzip`. Documents that don't match the schema are left out.
 * @throws {InvalidExportError} when it isn't one folder
 */
export async function openDump([folder, ...others]: readonly string[]): Promise<ReadCollection> {
  if (folder === undefined || others.length > 0) throw new InvalidExportError("a dump is one folder");
  if (!(await stat(folder)).isDirectory())
    throw new InvalidExportError("name the folder that mongodump has made for the database");
  const names = new Set(await readdir(folder));
  return async function* (collection, schema) {
    const name = [`${collection}.bson`, `${collection}.bson.gz`].find((one) => names.has(one));
    if (name === undefined) return;
    const stream = createReadStream(join(folder, name));
    // An error of the file is one of what reads it.
    const bytes = name.endsWith(".gz") ? pipeline(stream, createGunzip(), () => undefined) : stream;
    for await (const { document } of documentsOf(bytes, name)) {
      const parsed = schema.safeParse(document);
      if (parsed.success) yield parsed.data;
    }
  };
}

/**
 * The documents of a file, with the positions where they start.
 * @throws {InvalidExportError} when a document is damaged, cut off or too large
 */
export async function* documentsOf(
  bytes: Bytes,
  name: string,
): AsyncGenerator<{ document: Record<string, unknown>; at: number }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let at = 0;
  let wanted = LENGTH_BYTES;
  try {
    for await (const chunk of bytes) {
      parts.push(chunk);
      size += chunk.length;
      if (size < wanted) continue;
      let rest = Buffer.concat(parts);
      for (;;) {
        wanted = rest.length < LENGTH_BYTES ? LENGTH_BYTES : rest.readInt32LE(0);
        if (rest.length >= LENGTH_BYTES && (wanted < MIN_DOCUMENT_BYTES || wanted > MAX_DOCUMENT_BYTES))
          throw new Error("a document has an impossible length");
        if (rest.length < wanted) break;
        yield { document: mongo.BSON.deserialize(rest.subarray(0, wanted), { promoteBuffers: true }), at };
        at += wanted;
        rest = rest.subarray(wanted);
      }
      parts.splice(0, parts.length, rest);
      size = rest.length;
    }
  } catch (error) {
    throw new InvalidExportError(`${name}: ${(error as Error).message}`);
  }
  if (size > 0) throw new InvalidExportError(`${name} is cut off`);
}

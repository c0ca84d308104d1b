import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { mongo } from "mongoose";
import type { z } from "zod";
import { type Bytes, InvalidExportError, maxUnpackedBytes, onlyOne } from "./inputs.ts";

/** MongoDB's own limit is 16 MiB for users' documents. */
const MAX_DOCUMENT_BYTES = 17 * 1024 * 1024;
const LENGTH_BYTES = 4;
const MIN_DOCUMENT_BYTES = 5;

type ReadCollection = <S extends z.ZodType>(collection: string, schema: S) => AsyncGenerator<z.output<S>>;

/**
 * Reads collections of a folder that `mongodump` has made, with or without `--gzip`. Documents that don't match the schema are left out.
 * @throws {InvalidExportError} when it isn't one folder
 */
export async function openDump(folders: readonly string[]): Promise<ReadCollection> {
  const folder = onlyOne(folders, "a dump is one folder");
  if (!(await stat(folder)).isDirectory())
    throw new InvalidExportError("name the folder that mongodump has made for the database");
  return async function* (collection, schema) {
    const path = await findCollection(folder, `${collection}.bson`);
    if (path === null) return;
    for await (const { document } of documentsOf(await collectionBytes(path), basename(path))) {
      const parsed = schema.safeParse(document);
      if (parsed.success) yield parsed.data;
    }
  };
}

/** The path of a file of a dump, which can be packed, or null. */
export async function findCollection(folder: string, name: string): Promise<string | null> {
  const names = new Set(await readdir(folder));
  const found = [name, `${name}.gz`].find((one) => names.has(one));
  return found === undefined ? null : join(folder, found);
}

/** The content of a file of a dump. Reading fails with an InvalidExportError when it unpacks to far more than its size. */
export async function collectionBytes(path: string): Promise<Bytes> {
  const stream = createReadStream(path);
  if (!path.endsWith(".gz")) return stream;
  const { size } = await stat(path);
  // An error of the file is one of what reads it.
  const unpacked = pipeline(stream, createGunzip(), () => undefined);
  return limited(unpacked, maxUnpackedBytes(size), basename(path));
}

async function* limited(bytes: Bytes, maxBytes: number, name: string): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const part of bytes) {
      read += part.length;
      if (read > maxBytes) throw new Error("it unpacks to far more than its size");
      yield part;
    }
  } catch (error) {
    throw new InvalidExportError(`${name}: ${(error as Error).message}`);
  }
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
    if (error instanceof InvalidExportError) throw error;
    throw new InvalidExportError(`${name}: ${(error as Error).message}`);
  }
  if (size > 0) throw new InvalidExportError(`${name} is cut off`);
}

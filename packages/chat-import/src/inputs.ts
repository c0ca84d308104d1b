import { createReadStream, openAsBlob, type StatsFs } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { ImportFailure } from "@fanfare/contract";
import { splitLines } from "@fanfare/group-file";
import { listZip, type ZipEntry } from "@fanfare/zip";
import { ImportRefusedError } from "./import-steps.ts";

// Exports can be larger than the memory: they are read object by object.

/** Of one object, such as a message with all that belongs to it. */
const MAX_OBJECT_BYTES = 16 * 1024 * 1024;
/** Of the list of files in an archive: about a million. */
const MAX_DIRECTORY_BYTES = 128 * 1024 * 1024;
/** Exports are repetitive text, which gets about twenty times smaller. A larger factor is a file made to fill disks. */
const MAX_EXPANSION = 200;
const FREE_BYTES = 64 * 1024 * 1024;

/** What a packed file of this size can unpack to, in bytes. */
export const maxUnpackedBytes = (packedBytes: number): number => FREE_BYTES + MAX_EXPANSION * packedBytes;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPEN: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSE: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const [OPEN_LIST, CLOSE_LIST] = [0x5b, 0x5d];

/** An export that can't be imported, with the reason. */
export class InvalidExportError extends Error {
  override readonly name = "InvalidExportError";
  readonly failure: ImportFailure;

  constructor(reason: string, failure: ImportFailure = { code: "unreadable" }) {
    super(reason);
    this.failure = failure;
  }
}

/** @throws {ImportRefusedError} when the disk with the folder has less free space */
export async function assertFreeSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await diskOf(folder);
  if (bytes <= bavail * bsize) return;
  const mebibytes = String(Math.ceil(bytes / 1024 ** 2));
  throw new ImportRefusedError(
    `It needs about ${mebibytes} MiB of free space in ${folder}. Nothing was changed.`,
    { code: "noSpace", details: { mebibytes, folder } },
  );
}

/** The folder and those that it is in are created with its first file. */
const diskOf = (folder: string): Promise<StatsFs> =>
  statfs(folder).catch((error: unknown) => {
    if (dirname(folder) === folder) throw error;
    return diskOf(dirname(folder));
  });

/** @throws {InvalidExportError} when there are several, or none */
export function onlyOne([file, ...others]: readonly string[], reason: string): string {
  if (file === undefined || others.length > 0) throw new InvalidExportError(reason);
  return file;
}

/** An open file or file of an archive. */
export type Bytes = AsyncIterable<Uint8Array>;

export const fileBytes = (file: string): Bytes => createReadStream(file);

export const isFolder = async (path: string): Promise<boolean> => (await stat(path)).isDirectory();

/** The paths of the files in a folder and those in it. Symbolic links aren't followed: an export could name any file. */
export async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name)] : [])).toSorted();
}

/** A file of an archive. */
export type ArchiveEntry = Pick<ZipEntry, "path" | "bytes" | "stream">;

/**
 * The files of an archive, or of the folder that it was unpacked to, by path.
 * @throws {InvalidExportError} when it isn't a ZIP archive, or unpacks to far more than its size
 */
export async function openArchive(path: string): Promise<Map<string, ArchiveEntry>> {
  const entries = await ((await isFolder(path)) ? folderEntries(path) : zipEntries(path));
  return new Map(entries.map((entry) => [entry.path, entry]));
}

async function folderEntries(folder: string): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (const file of await filesIn(folder))
    entries.push({
      path: relative(folder, file).replaceAll(sep, "/"),
      bytes: (await stat(file)).size,
      stream: async () => (await openAsBlob(file)).stream(),
    });
  return entries;
}

async function zipEntries(file: string): Promise<ArchiveEntry[]> {
  const blob = await openAsBlob(file);
  const entries = await listZip(blob, MAX_DIRECTORY_BYTES).catch((error: Error) => {
    throw new InvalidExportError(error.message);
  });
  const unpacked = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (unpacked > maxUnpackedBytes(blob.size))
    throw new InvalidExportError(
      "the archive unpacks to far more than its size, so it is damaged or made to fill disks",
    );
  return entries;
}

/** The content of a file of an archive. Errors name the file, as those of the next two do. */
export const archiveBytes = (entry: ArchiveEntry) => naming(entry.path, contentOf(entry));

/** The items of a list that is a file of an archive. */
export const archiveItems = (entry: ArchiveEntry) => naming(entry.path, jsonItems(contentOf(entry), null));

/** The items of the list `messages` of an object that is a file, after what is before the list. */
export const fileMessages = (file: string) => naming(basename(file), jsonItems(fileBytes(file), "messages"));

async function* contentOf({ stream }: ArchiveEntry): AsyncGenerator<Uint8Array> {
  yield* (await stream()) as unknown as Bytes;
}

async function* naming<T>(name: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw new InvalidExportError(`${name}: ${(error as Error).message}`);
  }
}

/**
 * The items of a list, one after the other.
 * @param property of the object that has the list; null: the document is the list. With a property, the first value is the object
 *   with what it has before the list.
 * @throws {InvalidExportError} when it isn't JSON, is cut off, or an item has more than 16 MiB
 */
export async function* jsonItems(bytes: Bytes, property: string | null): AsyncGenerator {
  const listDepth = property === null ? 1 : 2;
  let parts: Uint8Array[] = [];
  let size = 0;
  let depth = 0;
  let isInList = false;
  let isInString = false;
  let isEscaped = false;
  const take = (part: Uint8Array): void => {
    size += part.length;
    if (size > MAX_OBJECT_BYTES) throw new InvalidExportError("an object in it has more than 16 MiB");
    parts.push(part);
  };
  const taken = (part: Uint8Array): string => {
    take(part);
    const whole = Buffer.concat(parts).toString();
    parts = [];
    size = 0;
    return whole;
  };
  for await (const chunk of bytes) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (isEscaped) isEscaped = false;
      else if (isInString) {
        if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (OPEN.has(byte)) {
        depth += 1;
        if (isInList || byte !== OPEN_LIST || depth !== listDepth) continue;
        const before = taken(chunk.subarray(from, at));
        from = at;
        isInList =
          property === null ? before.replace("\uFEFF", "").trim() === "" : endsWithKey(before, property);
        if (isInList && property !== null) yield parse(`${before}null}`);
        if (isInList) from = at + 1;
        else take(Buffer.from(before));
      } else if (byte === COMMA && isInList && depth === listDepth) {
        yield parse(taken(chunk.subarray(from, at)));
        from = at + 1;
      } else if (CLOSE.has(byte)) {
        if (isInList && depth === listDepth) {
          if (byte !== CLOSE_LIST) throw new InvalidExportError("it is not valid JSON");
          const last = taken(chunk.subarray(from, at));
          if (last.trim() !== "") yield parse(last);
          return;
        }
        depth -= 1;
      }
    }
    take(chunk.subarray(from));
  }
  if (isInList) throw new InvalidExportError("it is cut off");
  throw new InvalidExportError(
    property === null ? "it is not a list" : `it has no list with the name ${property}`,
  );
}

const endsWithKey = (before: string, property: string): boolean =>
  before.trimEnd().replace(/\s*:$/, "").endsWith(`"${property}"`);

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new InvalidExportError("it is not valid JSON");
  }
}

/**
 * The objects of a file with one on each line.
 * @throws {InvalidExportError} with the line number when one isn't JSON
 */
export async function* jsonLines(bytes: Bytes): AsyncGenerator {
  let number = 0;
  for await (const line of splitLines(withNewline(bytes), MAX_OBJECT_BYTES)) {
    number += 1;
    const shown = line.toString().trim();
    if (shown === "") continue;
    try {
      yield JSON.parse(shown);
    } catch {
      throw new InvalidExportError(`line ${number} is not valid JSON`);
    }
  }
}

async function* withNewline(bytes: Bytes): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  yield Buffer.from("\n");
}

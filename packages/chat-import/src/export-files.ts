import { createReadStream, createWriteStream } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { mongo } from "mongoose";
import { collectionBytes, documentsOf, findCollection } from "./bson.ts";
import { assertRoom } from "./history.ts";
import {
  type ArchiveEntry,
  assertFreeSpace,
  type Bytes,
  InvalidExportError,
  archiveBytes,
} from "./inputs.ts";

export interface FoundFile {
  /** For `open`. */
  key: string;
  bytes: number;
}

/** The contents of files that messages of an export have. */
export interface ExportFiles {
  /** @returns the first that the export has, or null */
  find(paths: readonly string[]): Promise<FoundFile | null>;
  open(key: string): Promise<Bytes>;
}

const NO_FILES: ExportFiles = {
  find: async () => null,
  open: () => Promise.reject(new InvalidExportError("it has no files")),
};

/** The files of an archive, by path. */
export const archiveFiles = (entries: ReadonlyMap<string, ArchiveEntry>): ExportFiles => ({
  async find(paths) {
    const key = paths.find((path) => entries.has(path));
    return key === undefined ? null : { key, bytes: entries.get(key)!.bytes };
  },
  open: async (key) => archiveBytes(entries.get(key)!),
});

/** Folders in which an export is, perhaps with other files: only folders in them that have such a name count. */
interface Beside {
  folders: readonly string[];
  named: RegExp;
}

/** The files in folders. Paths that lead out of them, such as by a symbolic link, aren't followed: an export could name any file. */
export async function folderFiles(
  folders: readonly string[],
  beside: Beside = { folders: [], named: /^/ },
): Promise<ExportFiles> {
  const [media, bases] = await Promise.all(
    [folders, beside.folders].map((paths) => Promise.all([...new Set(paths)].map(realFolder))),
  );
  const roots = [...bases!, ...media!];
  const isInside = (file: string): boolean =>
    media!.some((root) => namesBelow(root, file) !== null) ||
    bases!.some((base) => {
      const [folder = "", ...rest] = namesBelow(base, file) ?? [];
      return rest.length > 0 && beside.named.test(folder);
    });
  return {
    async find(paths) {
      for (const path of paths)
        for (const root of roots) {
          const key = await realpath(resolve(root, path)).catch(() => null);
          if (key === null || !isInside(key)) continue;
          const found = await stat(key);
          if (found.isFile()) return { key, bytes: found.size };
        }
      return null;
    },
    open: async (key) => createReadStream(key),
  };
}

/** The files in the folder that the operator has named, if any, and those beside the export. */
export const mediaFiles = (folder: string | undefined, beside?: Beside): Promise<ExportFiles> =>
  folderFiles(folder === undefined ? [] : [folder], beside);

/** null if the file isn't in the folder. */
function namesBelow(folder: string, file: string): string[] | null {
  const path = relative(folder, file);
  const names = path.split(/[/\\]/);
  return path === "" || isAbsolute(path) || names.includes("..") ? null : names;
}

async function realFolder(folder: string): Promise<string> {
  if (!(await stat(folder)).isDirectory()) throw new InvalidExportError(`${folder} is not a folder`);
  return realpath(folder);
}

const chunkFields = ["files_id", "n", "data"] as const;
type ChunkDocument = Partial<Record<(typeof chunkFields)[number], unknown>>;
interface Chunk {
  number: number;
  at: number;
  bytes: number;
}

/**
 * The files of a GridFS bucket in a dump, by id. Only the positions of their chunks are held in memory.
 * @param temporary folder for the content of a packed bucket, which has no positions
 * @throws {InvalidExportError} when the bucket is damaged, or unpacks to far more than its size
 * @throws {ImportRefusedError} when there is too little free space for it
 */
export async function gridFiles(folder: string, bucket: string, temporary: string): Promise<ExportFiles> {
  const name = `${bucket}.chunks.bson`;
  const found = await findCollection(folder, name);
  if (found === null) return NO_FILES;
  const path = found.endsWith(".gz") ? join(temporary, name) : found;
  if (path !== found) {
    await assertFreeSpace(temporary, Math.max(await lengthOf(folder, bucket), (await stat(found)).size));
    await pipeline(await collectionBytes(found), createWriteStream(path, { mode: 0o600 }));
  }
  const files = new Map<string, Chunk[]>();
  for await (const { document, at } of documentsOf(createReadStream(path), path)) {
    const { files_id: id, n, data } = document as ChunkDocument;
    if (!(typeof id === "string" || id instanceof mongo.ObjectId) || typeof n !== "number") continue;
    if (!(data instanceof Uint8Array)) continue;
    if (!files.has(String(id))) assertRoom(files, "files");
    const chunks = files.get(String(id)) ?? [];
    files.set(String(id), chunks);
    chunks.push({ number: n, at, bytes: data.length });
  }
  for (const [id, chunks] of files) {
    chunks.sort((a, b) => a.number - b.number);
    // A file with a gap is damaged.
    if (chunks.some(({ number }, index) => number !== index)) files.delete(id);
  }
  return {
    async find(ids) {
      const key = ids.find((id) => files.has(id));
      if (key === undefined) return null;
      return { key, bytes: files.get(key)!.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    open: async (key) => chunksOf(path, files.get(key)!),
  };
}

/** Of all files of a bucket, as far as the dump has their list. */
async function lengthOf(folder: string, bucket: string): Promise<number> {
  const name = `${bucket}.files.bson`;
  const found = await findCollection(folder, name);
  let bytes = 0;
  if (found !== null)
    for await (const { document } of documentsOf(await collectionBytes(found), name))
      bytes += Number(document["length"] ?? 0);
  return bytes;
}

async function* chunksOf(path: string, chunks: readonly Chunk[]): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (const { at } of chunks) {
      const length = Buffer.alloc(4);
      await file.read(length, 0, 4, at);
      const document = Buffer.alloc(length.readInt32LE(0));
      await file.read(document, 0, document.length, at);
      yield mongo.BSON.deserialize(document, { promoteBuffers: true })["data"] as Uint8Array;
    }
  } finally {
    await file.close();
  }
}

/** Files in the first of several places that has them. */
export function firstOf(...places: readonly ExportFiles[]): ExportFiles {
  return {
    async find(paths) {
      for (const [index, place] of places.entries()) {
        const found = await place.find(paths);
        if (found !== null) return { ...found, key: `${index} ${found.key}` };
      }
      return null;
    },
    async open(key) {
      const [, index, path] = /^(\d+) ([\s\S]*)$/.exec(key)!;
      return places[Number(index)]!.open(path!);
    },
  };
}

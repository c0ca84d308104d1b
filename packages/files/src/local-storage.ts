import { constants, createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StorageUnusableError, type ByteRange, type FileStorage, type StoredBytes } from "./storage.ts";

/** Its own folder, because `delete` lists it. */
const PARTS = "parts";

/** Stores files in a folder. A file is synced to disk before it is renamed into place, so none is partial. */
export class LocalStorage implements FileStorage {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async put(key: string, stream: Readable, size: number): Promise<void> {
    const path = this.#path(key);
    // The stream can fail before a listener is attached.
    stream.on("error", () => undefined);
    const partPath = this.#path(join(PARTS, `${basename(key)}.${randomBytes(6).toString("hex")}.part`));
    try {
      await mkdir(dirname(partPath), { recursive: true, mode: 0o700 });
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const out = createWriteStream(partPath, { flags: "wx", mode: 0o600, flush: true });
      await pipeline(stream, out);
      if (out.bytesWritten !== size) throw new Error(`received ${out.bytesWritten} of ${size} bytes`);
      await rename(partPath, path);
      await syncFolder(dirname(path));
    } catch (error) {
      stream.destroy();
      await rm(partPath, { force: true });
      throw error;
    }
  }

  async size(key: string): Promise<number | null> {
    return stat(this.#path(key)).then(({ size }) => size, nullIfAbsent);
  }

  async read(key: string, range?: ByteRange): Promise<StoredBytes | null> {
    const file = await open(this.#path(key)).catch(nullIfAbsent);
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      return { stream: createReadStream("", { fd: file, ...range }), size };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Also deletes what killed processes received of it. */
  async delete(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
    const parts = (await readdir(this.#path(PARTS)).catch(nullIfAbsent)) ?? [];
    for (const part of parts)
      if (part.startsWith(`${basename(key)}.`)) await rm(this.#path(join(PARTS, part)), { force: true });
  }

  async check(): Promise<void> {
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      await access(this.#dir, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new StorageUnusableError(
        `Cannot store files in ${this.#dir}: ${(error as Error).message}. Set FILES_DIR to a folder that this user can write to.`,
        { cause: error },
      );
    }
  }

  close(): void {}

  #path(key: string): string {
    return join(this.#dir, key);
  }
}

/** Makes a rename durable across power loss. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function nullIfAbsent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  throw error;
}

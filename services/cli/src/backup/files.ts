import type { Dirent } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { IMPORTS_FOLDER } from "@fanfare/chat-import";
import type { Config } from "@fanfare/kernel";

/** Folders of an instance besides the database. */
export type Folders = Pick<Config, "dataDir" | "filesDir">;

/** The generated token secret, used in development. */
const SECRET = "token-secret";
const FILES = "files/";

/** In FILES_DIR and the folder of the database: data that a restore is going to move there, and previous data that it has replaced. */
export const STAGING = ".restoring";
export const ASIDE = ".before-restore";

/** Whether it is data, and not a lock or from a restore or the file system: each ext4 has lost+found, which only root can read. */
export const isData = (name: string): boolean => !/^(?:\.|lock|lost\+found$)/.test(name);

/** The data in FILES_DIR, or in the folder of the database. */
export async function entriesIn(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(absent);
  return entries.filter(({ name }) => isData(name));
}

/** The paths of all stored files. */
export async function pathsIn(filesDir: string): Promise<string[]> {
  const entries = await entriesIn(filesDir);
  const stored = entries.map(async (entry) => {
    // Temporary files.
    if (entry.name === IMPORTS_FOLDER) return [];
    if (!entry.isDirectory()) return [entry];
    return readdir(join(filesDir, entry.name), { recursive: true, withFileTypes: true });
  });
  return (await Promise.all(stored))
    .flat()
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

export interface BackedUpFile {
  /** Path within the backup, with slashes. */
  path: string;
  location: string;
  bytes: number;
}

/** Sorted by path. */
export async function listFiles({ dataDir, filesDir }: Folders): Promise<BackedUpFile[]> {
  const found = (await pathsIn(filesDir)).map((location) => ({
    path: FILES + location.slice(join(filesDir, sep).length).replaceAll(sep, "/"),
    location,
  }));
  const secret = { path: SECRET, location: join(dataDir, SECRET) };
  const all = await Promise.all(
    [...found, secret].map(async (file) => {
      const stats = await stat(file.location).catch(() => null);
      return stats === null ? [] : [{ ...file, bytes: stats.size }];
    }),
  );
  return all.flat().toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether it is an upload in progress, or an aborted one. */
export const isDraft = ({ path }: BackedUpFile): boolean => path.endsWith(".part");

/** An opened file stays readable even if it is deleted meanwhile. @returns null when it no longer exists */
export async function openFile(file: BackedUpFile): Promise<AsyncIterable<Buffer> | null> {
  const handle = await open(file.location).catch(absent);
  return Array.isArray(handle) ? null : handle.createReadStream();
}

/**
 * The location of a file from a backup.
 * @throws {Error} for a path outside the folders
 */
export function locationOf(path: string, { dataDir, filesDir }: Folders): string {
  if (path === SECRET) return join(dataDir, SECRET);
  const parts = path.slice(FILES.length).split("/");
  const isPlain = parts.every(
    (part) => part !== "" && part !== "." && part !== ".." && !/[\\\0:]/.test(part),
  );
  if (!path.startsWith(FILES) || !isPlain) throw new Error(`it holds a file named ${JSON.stringify(path)}`);
  return join(filesDir, ...parts);
}

function absent(error: NodeJS.ErrnoException): [] {
  if (error.code === "ENOENT") return [];
  throw error;
}

import { open, readdir, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Config } from "@fanfare/kernel";

/** What lies beside the database and belongs to an instance. */
export type Folders = Pick<Config, "dataDir" | "filesDir">;

/** In development: what tokens are signed with. */
const SECRET = "token-secret";
const FILES = "files/";

export interface BackedUpFile {
  /** In the backup: with slashes. */
  path: string;
  location: string;
  bytes: number;
}

/** In the order of their paths. */
export async function listFiles({ dataDir, filesDir }: Folders): Promise<BackedUpFile[]> {
  const names = await readdir(filesDir, { recursive: true, withFileTypes: true }).catch(absent);
  const found = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((location) => ({
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

/** An upload that is under way, or was broken off: it has no name yet. */
export const isDraft = ({ path }: BackedUpFile): boolean => path.endsWith(".part");

/** null where there is none any more. Once it is open it can be read, also when it is deleted meanwhile. */
export async function openFile(file: BackedUpFile): Promise<AsyncIterable<Buffer> | null> {
  const handle = await open(file.location).catch(absent);
  return Array.isArray(handle) ? null : handle.createReadStream();
}

/**
 * Where a file of a backup belongs.
 * @throws {Error} for a path that leads elsewhere
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

import { createWriteStream } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ImportOrigin } from "./convert.ts";
import { archiveBytes, assertFreeSpace, InvalidExportError, openArchive } from "./inputs.ts";

const ZIP = /\.zip$/i;
const MAX_FILES = 1_000_000;
const AT_ONE_PATH: ReadonlySet<string | undefined> = new Set(["EEXIST", "ENOTDIR", "EISDIR"]);
const MAX_BYTES = 200 * 1024 ** 3;

/** In the folder of uploaded files: the unpacked exports of running imports. Backups don't have it. */
export const IMPORTS_FOLDER = "imports";

/**
 * What an importer reads of one uploaded file: the file itself, or what is in the archive.
 * @param folder a new one, for the content of an archive
 * @throws {InvalidExportError} when the archive is damaged, too large, or has paths that lead out of the folder
 */
export async function inputsOf(origin: ImportOrigin, file: string, folder: string): Promise<string[]> {
  if (origin === "slack" || origin === "mattermost") return [file];
  if (origin === "discord" && !ZIP.test(file)) return [file];
  if (!ZIP.test(file)) throw new InvalidExportError("pack the folder of the dump into a ZIP file");
  const files = await unpack(file, folder);
  if (origin === "discord") return [folder];
  const users = files.find((path) => /^users\.bson(?:\.gz)?$/.test(basename(path)));
  if (users === undefined) throw new InvalidExportError("the archive has no dump: it has no users.bson");
  return [dirname(users)];
}

async function unpack(file: string, folder: string): Promise<string[]> {
  const entries = [...(await openArchive(file)).values()].filter(({ path }) => !path.startsWith("__MACOSX/"));
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (entries.length > MAX_FILES || bytes > MAX_BYTES)
    throw new InvalidExportError("the archive has too many files, or unpacks to more than 200 GiB");
  // What is packed already hardly gets smaller in the archive.
  const packed = entries.reduce((sum, entry) => sum + (entry.path.endsWith(".gz") ? entry.bytes : 0), 0);
  if (packed > 1024 ** 2 + 2 * (await stat(file)).size)
    throw new InvalidExportError("the archive has files that are packed several times");
  const root = resolve(folder);
  await assertFreeSpace(root, bytes);
  const paths: string[] = [];
  for (const entry of entries) {
    const path = resolve(join(root, entry.path));
    const inside = relative(root, path);
    if (entry.path.includes("\0") || inside === "" || inside.split(sep)[0] === "..")
      throw new InvalidExportError("the archive has a path that leads out of it");
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(archiveBytes(entry), createWriteStream(path, { flags: "wx", mode: 0o600 }));
    } catch (error) {
      if (!AT_ONE_PATH.has((error as NodeJS.ErrnoException).code)) throw error;
      throw new InvalidExportError("the archive has two files at one path, so it is damaged");
    }
    paths.push(path);
  }
  return paths;
}

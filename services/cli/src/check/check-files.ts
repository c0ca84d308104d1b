import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import type { mongo } from "mongoose";
import type { Check } from "./fault.ts";
import { idsOf } from "./fault.ts";

const ID = /[\da-f]{24}/;

/** What lies in the folder of files belongs to a file that the database knows. @param filesDir undefined: they lie in S3 */
export function checkFiles(filesDir: string | undefined): Check {
  return async function* (db) {
    if (filesDir === undefined) return;
    for await (const path of unknownFiles(db, filesDir))
      yield { what: `${path} belongs to no file of the database` };
  };
}

/** Where they lie. */
export async function* unknownFiles(db: mongo.Db, filesDir: string): AsyncGenerator<string> {
  const known = await idsOf(db, "files");
  const entries = await readdir(filesDir, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const id = ID.exec(path.slice(join(filesDir, sep).length))?.[0];
    if (id !== undefined && !known.has(id)) yield path;
  }
}

import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import type { mongo } from "mongoose";
import type { Check } from "./fault.ts";
import { idsOf } from "./fault.ts";

const ID = /[\da-f]{24}/;
/** The others may be without bytes: those of an upload are still coming, those of a deletion may be gone. */
const WHOLE = { state: { $in: ["unclaimed", "attached", "picture"] } };

/**
 * What lies in the folder of files belongs to a file that the database knows, and the other way round.
 * @param filesDir undefined: they lie in S3
 */
export function checkFiles(filesDir: string | undefined): Check {
  return async function* (db) {
    if (filesDir === undefined) return;
    for await (const path of unknownFiles(db, filesDir))
      yield { what: `${path} belongs to no file of the database` };
    const names = new Set((await pathsIn(filesDir)).map((path) => path.split(sep).at(-1)));
    for await (const file of db.collection("files").find(WHOLE)) {
      const missing = namesOf(file).filter((name) => !names.has(name));
      if (missing.length > 0)
        yield { what: `file ${String(file._id)} lacks its bytes: ${missing.join(", ")}` };
    }
  };
}

/** Where they lie. */
export async function* unknownFiles(db: mongo.Db, filesDir: string): AsyncGenerator<string> {
  const known = await idsOf(db, "files");
  for (const path of await pathsIn(filesDir)) {
    const id = ID.exec(path.slice(join(filesDir, sep).length))?.[0];
    if (id !== undefined && !known.has(id)) yield path;
  }
}

/** Of what is stored of a file. */
function namesOf({ _id, variants, pictureName }: mongo.Document): string[] {
  const names = ((variants ?? []) as string[]).map((variant) => `${String(_id)}.${variant}`);
  return pictureName === undefined ? names : [...names, `${String(pictureName)}.webp`];
}

async function pathsIn(filesDir: string): Promise<string[]> {
  const entries = await readdir(filesDir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Bytes per block in `blocks`. Source: stat(2). */
const BLOCK_BYTES = 512;

/** Disk usage of a folder's files. */
export function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    // A file may have been deleted meanwhile.
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stat?.isFile() ? stat.blocks * BLOCK_BYTES : 0);
  }, 0);
}

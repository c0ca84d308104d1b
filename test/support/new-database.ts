import { execFile } from "node:child_process";
import { cpSync, existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROJECT_FOLDER, type ServerProcess, startDatabase } from "@fanfare/testing";

const CACHE = join(PROJECT_FOLDER, "node_modules/.cache");
const MADE = join(CACHE, "new-database");
const BUILT_SERVER = join(PROJECT_FOLDER, "services/node/dist/main.js");
const CLI = join(PROJECT_FOLDER, "services/cli/src/main.ts");

/** Makes what `copyNewDatabase` copies, if the server was built since. */
export async function makeNewDatabase(): Promise<void> {
  if (existsSync(MADE) && statSync(MADE).mtimeMs >= statSync(BUILT_SERVER).mtimeMs) return;
  await mkdir(CACHE, { recursive: true });
  const dataDir = await mkdtemp(join(CACHE, "new-database-"));
  try {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir, LOG_LEVEL: "error" };
    await promisify(execFile)(process.execPath, [CLI, "migrate"], { env });
    await rm(MADE, { recursive: true, force: true });
    await rename(join(dataDir, "db"), MADE);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Copies the database of a new instance, which has all indexes and no documents, unless the folder exists:
 * creating the indexes needs more CPU than the rest of a start.
 */
export function copyNewDatabase(folder: string): void {
  if (existsSync(MADE) && !existsSync(folder)) cpSync(MADE, folder, { recursive: true });
}

/** Starts a database with a copy as its own process, for the MONGO_URL of `startNode`. */
export const startNewDatabase = (): Promise<ServerProcess> =>
  startDatabase(existsSync(MADE) ? { copyOf: MADE } : {});

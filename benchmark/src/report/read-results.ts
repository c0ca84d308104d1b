import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { usageError } from "../cli/exit.ts";
import { RESULT_VERSION, type Result } from "./result.ts";

const SUITE_INDEX = "suite.json";

/**
 * Reads results written with --json, from files and folders.
 * @throws {ExitError} naming the first invalid file
 */
export async function readResults(paths: readonly string[]): Promise<Result[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  return Promise.all(files.map(readResult));
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => {
    throw usageError(`${path} does not exist.`);
  });
  // A shell's file list can include the suite's index.
  if (!found.isDirectory()) return basename(path) === SUITE_INDEX ? [] : [path];
  const names = (await readdir(path)).filter((name) => name.endsWith(".json") && name !== SUITE_INDEX).sort();
  if (names.length === 0) throw usageError(`${path} has no results (*.json).`);
  return names.map((name) => join(path, name));
}

async function readResult(file: string): Promise<Result> {
  const text = await readFile(file, "utf8");
  try {
    const result = JSON.parse(text) as { version?: number };
    if (typeof result.version !== "number") throw new Error("it has no version");
    const { version } = result;
    if (version !== RESULT_VERSION) {
      throw new Error(`it has version ${String(version)}, but this tester reads version ${RESULT_VERSION}`);
    }
    return result as Result;
  } catch (error) {
    throw usageError(`${file} is not a result of --json: ${(error as Error).message}.`);
  }
}

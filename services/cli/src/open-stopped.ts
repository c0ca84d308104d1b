import type { Config } from "@fanfare/kernel";
import { openDatabase, type Database } from "@fanfare/kernel/database";
import { CliError } from "./cli-error.ts";

/**
 * Opens the database of an instance that is stopped. That of MONGO_URL opens also while one runs.
 * @throws {CliError} when a running instance holds the data folder
 */
export async function openStopped(config: Pick<Config, "mongoUrl" | "dataDir">): Promise<Database> {
  try {
    return await openDatabase(config, fail);
  } catch (error) {
    throw explainInUse(error);
  }
}

/** Runs something on it, and closes it whatever happens. */
export async function withStopped<T>(
  config: Pick<Config, "mongoUrl" | "dataDir">,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openStopped(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Runs something that only reads: on the database of a stopped instance, or, of a running one, where it is served.
 * @throws {CliError} when it is served where this process does not find it
 */
export async function withSource<T>(
  config: Pick<Config, "mongoUrl" | "dataDir">,
  work: (database: Database, isRunning: boolean) => Promise<T>,
): Promise<T> {
  const { database, isRunning } = await openSource(config);
  try {
    return await work(database, isRunning);
  } finally {
    await database.close();
  }
}

async function openSource(config: Pick<Config, "mongoUrl" | "dataDir">) {
  try {
    return { database: await openDatabase(config, fail), isRunning: config.mongoUrl !== undefined };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "DataFolderInUseError") throw error;
    const { uri } = error as { uri?: string };
    if (uri === undefined) {
      throw new CliError(
        `${error.message} Its database is not found at the usual place: run this as the same user, with the same temporary folder (TMPDIR), or stop the instance.`,
      );
    }
    return { database: await openDatabase({ ...config, mongoUrl: uri }, fail), isRunning: true };
  }
}

function fail(error: Error): never {
  throw error;
}

export function explainInUse(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "DataFolderInUseError") return error;
  return new CliError(
    `${error.message} This command works on a stopped instance: stop it first, or name another folder with DATA_DIR.`,
  );
}

import type { Config } from "@fanfare/kernel";
import { openDatabase, type Database } from "@fanfare/kernel/database";
import { CliError } from "./cli-error.ts";

/**
 * Opens the database of an instance that is stopped. That of MONGO_URL opens also while one runs.
 * @throws {CliError} when a running instance holds the data folder
 */
export async function openStopped(config: Pick<Config, "mongoUrl" | "dataDir">): Promise<Database> {
  try {
    return await openDatabase(config, (error) => {
      throw error;
    });
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

export function explainInUse(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "DataFolderInUseError") return error;
  return new CliError(
    `${error.message} This command works on a stopped instance: stop it first, or name another folder with DATA_DIR.`,
  );
}

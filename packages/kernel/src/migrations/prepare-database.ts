import { hostname } from "node:os";
import { migrate } from "./migrate.ts";
import type { Config } from "../config.ts";
import type { Database } from "../database.ts";
import type { Logger } from "../logger.ts";
import { PROGRAM_VERSION } from "../program-version.ts";

/**
 * Migrates the database and creates the indexes of all models declared by the services of this process: docs/internals/migrations.md.
 * Resolves when this or another process has finished.
 * @param reportState called with the current step
 * @throws {Error} with a name starting with `Database`, if the operator has to act
 */
export async function prepareDatabase(
  { connection, engine }: Database,
  { migrateOnStart }: Pick<Config, "migrateOnStart">,
  logger: Logger,
  reportState: (doing: string) => void,
): Promise<void> {
  await migrate(connection, {
    version: PROGRAM_VERSION,
    holder: `${hostname()}:${process.pid}`,
    isAlone: engine === "embedded",
    removesIndexes: engine === "embedded",
    isAutomatic: migrateOnStart,
    report: {
      log: (message, fields) => logger.info(fields, message),
      warn: (message, fields) => logger.warn(fields, message),
      state: reportState,
    },
  });
}

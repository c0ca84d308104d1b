import { hostname } from "node:os";
import { migrate } from "./migrate.ts";
import type { Config } from "../config.ts";
import type { Database } from "../database.ts";
import type { Logger } from "../logger.ts";
import { PROGRAM_VERSION } from "../program-version.ts";

/**
 * Migrates the database and makes the indexes of all models that the services of this process have declared: docs/migrations.md.
 * Resolves when it is done, here or by another process.
 * @param tell is told what is being done at the moment
 * @throws {Error} whose name begins with `Database`, that the operator can put right
 */
export async function prepareDatabase(
  { connection, engine }: Database,
  { migrateOnStart }: Pick<Config, "migrateOnStart">,
  logger: Logger,
  tell: (doing: string) => void,
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
      state: tell,
    },
  });
}

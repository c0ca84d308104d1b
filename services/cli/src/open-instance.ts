import { type Config, type NodeContext, startNode } from "@fanfare/kernel";
import { type Database, openDatabase } from "@fanfare/kernel/database";
import type { Services } from "@fanfare/contract";
import { createUserService } from "@fanfare/user";
import { CliError } from "./cli-error.ts";

/**
 * Opens the database of a stopped instance. With MONGO_URL this isn't checked.
 * @throws {CliError} when a running instance holds the data folder
 */
export async function openStoppedInstance(config: Pick<Config, "mongoUrl" | "dataDir">): Promise<Database> {
  try {
    return await openDatabase(config, fail, { onProgress: (message) => console.error(message) });
  } catch (error) {
    throw explainInUse(error);
  }
}

/** Runs `work` on the database and closes it afterwards. */
export async function withStoppedInstance<T>(
  config: Pick<Config, "mongoUrl" | "dataDir">,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openStoppedInstance(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Runs work that is safe beside a running instance, whose database is then used through its socket.
 * @throws {CliError} when that socket isn't found
 */
export async function withDatabase<T>(
  config: Pick<Config, "mongoUrl" | "dataDir">,
  work: (database: Database, isRunning: boolean) => Promise<T>,
): Promise<T> {
  let isRunning = config.mongoUrl !== undefined;
  const database = await openDatabase(config, fail).catch((error: unknown) => {
    isRunning = true;
    return openDatabase({ ...config, mongoUrl: uriOfRunning(error) }, fail);
  });
  try {
    return await work(database, isRunning);
  } finally {
    await database.close();
  }
}

/**
 * The URI of the embedded database of the instance that holds the data folder, from the error when opening it.
 * @throws {CliError} when it isn't found; any other error as it is
 */
function uriOfRunning(error: unknown): string {
  if (!(error instanceof Error) || error.name !== "DataFolderInUseError") throw error;
  const { uri } = error as { uri?: string };
  if (uri !== undefined) return uri;
  throw new CliError(
    `${error.message} Its database was not found in the usual place. Run this command as the same user with the same temporary folder (TMPDIR), or stop the instance.`,
  );
}

function fail(error: Error): never {
  throw error;
}

export function explainInUse(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "DataFolderInUseError") return error;
  return new CliError(
    `${error.message} This command needs a stopped instance. Stop it first, or set DATA_DIR to another folder.`,
  );
}

/** The configuration of a command's process: outside a cluster, and without log messages about its startup. */
export function withoutCluster(config: Config, services: Config["services"]): Config {
  const logLevel = config.logLevel === "info" ? "warn" : config.logLevel;
  return {
    ...config,
    services,
    logLevel,
    natsUrl: undefined,
    redisUrl: undefined,
    opsPort: 0,
    gatewayThreads: 0,
  };
}

/** Calls actions of the user service on the configured database. */
export const withUserService = <T>(config: Config, work: (services: Services) => Promise<T>): Promise<T> =>
  withUserNode(config, ({ services }) => work(services));

/** Provides the context of a process with the user service, also beside a running instance. */
export async function withUserNode<T>(config: Config, work: (node: NodeContext) => Promise<T>): Promise<T> {
  const fail = (error: Error): never => {
    throw error;
  };
  const start = (where: Config) => startNode(withoutCluster(where, ["user"]), [createUserService], fail);
  const node = await start(config).catch((error: unknown) =>
    start({ ...config, mongoUrl: uriOfRunning(error) }),
  );
  try {
    return await work(node.context);
  } finally {
    await node.stop();
  }
}

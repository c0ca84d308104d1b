import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, loadConfig, type NodeContext, type ServiceFactory, startNode } from "@fanfare/kernel";
import { type Database, openDatabase } from "@fanfare/kernel/database";
import { createAdminService } from "@fanfare/admin";
import { createUserService } from "@fanfare/user";
import { isData } from "./backup/files.ts";
import { CliError } from "./command.ts";

type Place = Pick<Config, "mongoUrl" | "dataDir">;

/**
 * Runs `work` on the database of a stopped instance and closes it afterwards. With MONGO_URL this isn't checked.
 * @throws {CliError} when a running instance holds the data folder
 */
export async function withStoppedInstance<T>(
  config: Place,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const onProgress = (message: string) => console.error(message);
  const database = await openDatabase(config, fail, { onProgress }).catch((error: unknown) => {
    throw explainInUse(error);
  });
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
  config: Place,
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

/**
 * Reads the configuration of a command. A new database would look like an empty instance.
 * @param canBeNew whether the command can create the database
 * @throws {CliError} when the database of the instance isn't here
 */
export function loadInstanceConfig({ canBeNew = false } = {}): Config {
  const config = loadConfig();
  assertIsNoGateway(config);
  if (!canBeNew && config.mongoUrl === undefined && !hasDatabase(config))
    throw new CliError(
      `There is no database in ${resolve(config.dataDir)}. Run this command with the settings and in the folder of the instance.`,
    );
  return config;
}

/** Whether there is an embedded database. Its folder can be a new disk, or have only a lock of a process that was killed. */
export function hasDatabase({ dataDir }: Pick<Config, "dataDir">): boolean {
  const folder = join(dataDir, "db");
  return existsSync(folder) && readdirSync(folder).some(isData);
}

/** Other processes of a cluster have MONGO_URL. @throws {CliError} */
function assertIsNoGateway({ natsUrl, mongoUrl }: Config): void {
  if (natsUrl === undefined || mongoUrl !== undefined) return;
  throw new CliError(
    "A gateway of a cluster has no database. Run this command where a worker runs, with MONGO_URL.",
  );
}

/** The configuration of a command's process: outside a cluster, and without log messages about its startup. */
export function withoutCluster(config: Config, services: Config["services"]): Config {
  assertIsNoGateway(config);
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

/** Runs `work` in a process with the user service, also beside a running instance. */
export function withUserNode<T>(config: Config, work: (node: NodeContext) => Promise<T>): Promise<T> {
  const run = (where: Config) => withNode(where, ["user"], [createUserService], work);
  return run(config).catch((error: unknown) => run({ ...config, mongoUrl: uriOfRunning(error) }));
}

/**
 * Runs `work` in a process that knows the policy of a stopped instance. With MONGO_URL this isn't checked.
 * @throws {CliError} when a running instance holds the data folder
 */
export function withStoppedNode<T>(config: Config, work: (node: NodeContext) => Promise<T>): Promise<T> {
  return withNode(config, ["admin"], [createAdminService], work).catch((error: unknown) => {
    throw explainInUse(error);
  });
}

/** Runs `work` in a process with these services, and stops it afterwards. */
export async function withNode<T>(
  config: Config,
  services: Config["services"],
  factories: readonly ServiceFactory[],
  work: (node: NodeContext) => Promise<T>,
): Promise<T> {
  // Jobs could call services that aren't here.
  const options = { runsJobs: false };
  const node = await startNode(withoutCluster(config, services), factories, fail, options);
  try {
    return await work(node.context);
  } finally {
    await node.stop();
  }
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig, type NodeContext } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { type OwnDatabase, startOwnDatabase } from "./database.ts";
import { copyNewDatabase } from "./new-database.ts";

export interface Instance {
  url: string;
  opsUrl: string;
  dataDir: string;
  /** A collection, for what calls can't reach within a test. */
  collection(name: string): ReturnType<NodeContext["database"]["collection"]>;
  /** Restarts it on the same address with the same data: `PORT` and `OPS_PORT` must be from `freePort()`. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Settings of an instance with its own data, on free ports. Rate limits are raised, because tests are faster
 * than people.
 */
export const instanceEnvironment = (dataDir: string): Record<string, string> => ({
  NODE_ENV: "test",
  LOG_LEVEL: "error",
  DATA_DIR: dataDir,
  HOST: "127.0.0.1",
  PORT: "0",
  OPS_PORT: "0",
  RATE_LIMIT_FACTOR: "1000",
  // Threads slow down the start: tests that need some set it.
  GATEWAY_THREADS: "0",
});

/**
 * Starts a complete instance in this process, on free ports and with its own data. Its database is in this
 * process too, unless `env` or the environment has a `MONGO_URL`.
 * @param env settings in addition to those of `instanceEnvironment`
 * @param change what has no setting, such as addresses of services in the internet
 */
export async function startInstance(
  env: Record<string, string> = {},
  change: (config: Config) => Config = (config) => config,
): Promise<Instance> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-test-"));
  const databaseParent = env["DATA_DIR"] ?? dataDir;
  // Empty: its own, also if the environment has one.
  const given = (env["MONGO_URL"] ?? process.env["MONGO_URL"]) || undefined;
  let database: OwnDatabase | undefined;
  const start = async (more: Record<string, string> = {}) => {
    if (given === undefined) {
      copyNewDatabase(join(databaseParent, "db"));
      database = await startOwnDatabase(databaseParent);
    }
    const where = { MONGO_URL: given ?? database!.url };
    try {
      const settings = { ...instanceEnvironment(dataDir), ...env, ...where, ...more };
      return await startFanfare(change(loadConfig(settings)));
    } catch (error) {
      await database?.close();
      throw error;
    }
  };
  const stop = async () => {
    await fanfare.stop();
    await database?.close();
  };
  let fanfare = await start();
  const { url, opsUrl } = fanfare;
  return {
    url,
    opsUrl,
    dataDir,
    collection: (name) => (fanfare.context as NodeContext).database.collection(name),
    async restart() {
      await stop();
      fanfare = await start({ PORT: new URL(url).port, OPS_PORT: new URL(opsUrl).port });
    },
    async stop() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

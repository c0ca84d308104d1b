import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";

export interface Instance {
  url: string;
  opsUrl: string;
  dataDir: string;
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
 * Starts a complete instance in this process, on free ports and with its own data.
 * @param env settings in addition to those of `instanceEnvironment`
 */
export async function startInstance(env: Record<string, string> = {}): Promise<Instance> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-test-"));
  const start = (more: Record<string, string> = {}) =>
    startFanfare(
      loadConfig({
        ...instanceEnvironment(dataDir),
        ...(process.env["MONGO_URL"] === undefined ? {} : { MONGO_URL: process.env["MONGO_URL"] }),
        ...env,
        ...more,
      }),
    );
  let fanfare = await start();
  const { url, opsUrl } = fanfare;
  return {
    url,
    opsUrl,
    dataDir,
    async restart() {
      await fanfare.stop();
      fanfare = await start({ PORT: new URL(url).port, OPS_PORT: new URL(opsUrl).port });
    },
    async stop() {
      await fanfare.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";

export interface Instance {
  url: string;
  opsUrl: string;
  dataDir: string;
  /** Stops it, and starts it at the same address with the same data: `PORT` and `OPS_PORT` have to be of `freePort()`. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** A whole instance with data of its own, on free ports. Rate limits are far away: a test is faster than any person. */
export const instanceEnvironment = (dataDir: string): Record<string, string> => ({
  NODE_ENV: "test",
  LOG_LEVEL: "error",
  DATA_DIR: dataDir,
  HOST: "127.0.0.1",
  PORT: "0",
  OPS_PORT: "0",
  RATE_LIMIT_FACTOR: "1000",
  // Threads take a moment to start: tests that are about them ask for some.
  GATEWAY_THREADS: "0",
});

/**
 * Starts a whole instance in this process, on free ports and with data of its own.
 * @param env settings besides those of `instanceEnvironment`
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

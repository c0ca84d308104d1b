import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  freePort,
  PROJECT_FOLDER,
  startServer,
  type LaunchOptions,
  type ServerProcess,
} from "@fanfare/testing";
import { copyNewDatabase } from "./new-database.ts";

export interface NodeOptions extends LaunchOptions {
  /** Which services it hosts; default: all. */
  services?: readonly string[];
  env?: Record<string, string>;
  opsPort?: number;
  /** The process's `ulimit -n`. */
  maxOpenFiles?: number;
  /** Runs the sources instead of what was built from them. */
  fromSources?: boolean;
}

/** A Fanfare process. */
export interface FanfareNode {
  process: ServerProcess;
  services: readonly string[];
  url: string;
  /** Base URL of /livez, /readyz and /metrics. */
  opsUrl: string;
}

const PRINTS_WITHIN_MS = 30_000;
const POLL_MS = 20;

interface Program {
  command: string;
  args: readonly string[];
}

function program({ fromSources = false, maxOpenFiles }: NodeOptions): Program {
  const main = join(PROJECT_FOLDER, "services/node", fromSources ? "src/main.ts" : "dist/main.js");
  const args = ["--max-semi-space-size=16", main];
  if (maxOpenFiles === undefined) return { command: process.execPath, args };
  const limited = ["-c", 'ulimit -n "$0"; exec "$@"', String(maxOpenFiles), process.execPath, ...args];
  return { command: "sh", args: limited };
}

/**
 * Starts Fanfare as its own process, with data in its folder unless `env` says otherwise; resolves when it is
 * ready. Rate limits are raised, and all connections can come from one address. Needs `buildServer`.
 * @throws {Error} if it does not start
 */
export async function startNode(options: NodeOptions): Promise<FanfareNode> {
  const { services = [], env = {} } = options;
  const opsPort = options.opsPort ?? (await freePort());
  const opsUrl = `http://127.0.0.1:${opsPort}`;
  const process_ = await startServer("node", options, ({ port, folder }) => {
    const dataDir = env["DATA_DIR"] ?? join(folder, "data");
    if (services.length === 0 && env["MONGO_URL"] === undefined) copyNewDatabase(join(dataDir, "db"));
    return {
      ...program(options),
      env: {
        NODE_ENV: "production",
        TOKEN_SECRET: "only-for-tests-only-for-tests-only-for-tests",
        DATA_DIR: dataDir,
        HOST: "127.0.0.1",
        PORT: String(port),
        OPS_PORT: String(opsPort),
        RATE_LIMIT_FACTOR: "1000",
        // Most tests use guests, which are off in production by default.
        GUESTS: "on",
        MAX_CONNECTIONS_PER_ADDRESS: "50000",
        // Threads slow down the start considerably: tests that need some set it.
        GATEWAY_THREADS: "0",
        ...(services.length > 0 && { SERVICES: services.join(",") }),
        ...env,
      },
      cwd: PROJECT_FOLDER,
      url: `http://127.0.0.1:${port}`,
      isReady: async () => (await fetch(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(1000) })).ok,
    };
  });
  return { process: process_, services, url: process_.url, opsUrl };
}

/**
 * The token of the setup link last printed by a process with the user service; the process can be ready a
 * moment before that.
 * @throws {Error} if it prints none because an admin exists
 */
export async function readSetupToken({ process }: Pick<FanfareNode, "process">): Promise<string> {
  const deadline = Date.now() + PRINTS_WITHIN_MS;
  while (Date.now() < deadline) {
    const printed = await readFile(process.logFile, "utf8");
    const token = [...printed.matchAll(/\/setup#token=([\w-]+)\n/g)].at(-1)?.[1];
    if (token !== undefined) return token;
    await delay(POLL_MS);
  }
  throw new Error(`${process.name} printed no setup link.`);
}

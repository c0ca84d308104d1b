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

export interface NodeOptions extends LaunchOptions {
  /** Which services it hosts; all of them by default. */
  services?: readonly string[];
  env?: Record<string, string>;
  opsPort?: number;
  /** Its `ulimit -n`. */
  maxOpenFiles?: number;
}

/** One process of Fanfare. */
export interface FanfareNode {
  process: ServerProcess;
  services: readonly string[];
  url: string;
  /** Where /livez, /readyz and /metrics are. */
  opsUrl: string;
}

const PRINTS_WITHIN_MS = 30_000;
const POLL_MS = 20;
const ARGS = ["--max-semi-space-size=16", join(PROJECT_FOLDER, "services/node/src/main.ts")];

function withLimit(maxOpenFiles: number): { command: string; args: readonly string[] } {
  return {
    command: "sh",
    args: ["-c", 'ulimit -n "$0"; exec "$@"', String(maxOpenFiles), process.execPath, ...ARGS],
  };
}

/**
 * Starts Fanfare as a program of its own, with data in its folder unless `env` says otherwise; resolves when it is ready.
 * Rate limits are far away, and all connections may come from one address.
 * @throws {Error} when it does not start
 */
export async function startNode(nodeOptions: NodeOptions): Promise<FanfareNode> {
  const { services = [], env = {}, maxOpenFiles, ...options } = nodeOptions;
  const opsPort = options.opsPort ?? (await freePort());
  const opsUrl = `http://127.0.0.1:${opsPort}`;
  const process_ = await startServer("node", options, ({ port, folder }) => ({
    ...(maxOpenFiles === undefined ? { command: process.execPath, args: ARGS } : withLimit(maxOpenFiles)),
    env: {
      NODE_ENV: "production",
      TOKEN_SECRET: "only-for-tests-only-for-tests-only-for-tests",
      DATA_DIR: join(folder, "data"),
      HOST: "127.0.0.1",
      PORT: String(port),
      OPS_PORT: String(opsPort),
      RATE_LIMIT_FACTOR: "1000",
      // Most tests use guests, which are off in production by default.
      GUESTS: "on",
      MAX_CONNECTIONS_PER_ADDRESS: "50000",
      // Threads make a start many times as expensive: tests that are about them ask for some.
      GATEWAY_THREADS: "0",
      ...(services.length > 0 && { SERVICES: services.join(",") }),
      ...env,
    },
    cwd: PROJECT_FOLDER,
    url: `http://127.0.0.1:${port}`,
    isReady: async () => (await fetch(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(1000) })).ok,
  }));
  return { process: process_, services, url: process_.url, opsUrl };
}

/**
 * The token of the setup link that a process with the user service has printed last; it may be ready a moment before that.
 * @throws {Error} when it prints none: there was an admin already
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

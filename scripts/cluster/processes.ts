import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ServerProcess, startDatabase, startNats, startRedis } from "@fanfare/testing";
import { Restarts } from "../supervise.ts";

const MOST = 16;
const DEFAULT_PORT = 3000;
const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_FOLDER = ".fanfare-cluster";

/** Distance from the first gateway's port to its ops port, and from there to the first worker's. */
const OPS_PORTS_ABOVE = 100;
const WORKER_PORTS_ABOVE = 50;

const USAGE = "usage: pnpm dev:cluster [--gateways 2] [--workers 2]";

export const HELP = `${USAGE}

Starts several gateways and workers on this machine, with NATS, Redis and a database of their own.
It needs nats-server and redis-server.

  --gateways  how many gateways, 1 to ${MOST}; default: 2
  --workers   how many workers, 1 to ${MOST}; default: 2

From the environment or .env:
  PORT        of the first gateway, the others follow; default: ${DEFAULT_PORT}
  OPS_PORT    for health and metrics of the first gateway; default: PORT + ${OPS_PORTS_ABOVE}
              The other gateways follow, the workers begin at OPS_PORT + ${WORKER_PORTS_ABOVE}
  HOST        the gateways' address; default: ${DEFAULT_HOST}
  DATA_DIR    for data and logs; default: ${DEFAULT_FOLDER}`;

export interface ClusterOptions {
  /** Whether only the help was requested. */
  help: boolean;
  gateways: number;
  workers: number;
  /** Absolute. */
  folder: string;
  host: string;
  /** Port of the first gateway; the others follow. */
  port: number;
  opsPort: (role: Role, index: number) => number;
}

type Role = "gateway" | "worker";

/** @throws {Error} with the usage as its message */
export function readOptions(
  args: readonly string[],
  env: Record<string, string | undefined>,
): ClusterOptions {
  const values = parse(args.filter((argument) => argument !== "--"));
  const count = (name: Role): number => {
    const number = Number(values[`${name}s`]);
    if (Number.isInteger(number) && number >= 1 && number <= MOST) return number;
    throw new Error(`--${name}s must be an integer from 1 to ${MOST}.\n${USAGE}`);
  };
  const port = readPort("PORT", env["PORT"] || DEFAULT_PORT);
  const opsPort = readPort("OPS_PORT", env["OPS_PORT"] || port + OPS_PORTS_ABOVE);
  return {
    help: values.help,
    gateways: count("gateway"),
    workers: count("worker"),
    folder: resolve(env["DATA_DIR"] || DEFAULT_FOLDER),
    host: env["HOST"] || DEFAULT_HOST,
    port,
    opsPort: (role, index) => opsPort + (role === "gateway" ? 0 : WORKER_PORTS_ABOVE) + index,
  };
}

function readPort(name: string, value: string | number): number {
  const port = Number(value);
  if (Number.isInteger(port) && port >= 1 && port <= 65_000) return port;
  throw new Error(`${name} must be an integer from 1 to 65000.`);
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        gateways: { type: "string", default: "2" },
        workers: { type: "string", default: "2" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

const HIGHEST_PORT = 65_535;
const OTHER_PORTS_ABOVE = 1000;

/** Ports of the cluster, and the address each listens on. */
function portsOf({ gateways, workers, host, port, opsPort }: ClusterOptions): [port: number, host: string][] {
  const first = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  return [
    ...first(gateways).map((index): [number, string] => [port + index, host]),
    ...first(gateways).map((index): [number, string] => [opsPort("gateway", index), "127.0.0.1"]),
    ...first(workers).map((index): [number, string] => [opsPort("worker", index), "127.0.0.1"]),
  ];
}

/** A line that says which port is in use and what to do; null if all are free. */
export async function findOccupiedPort(options: ClusterOptions): Promise<string | null> {
  for (const [port, host] of portsOf(options)) {
    const code = await refusal(port, host);
    if (code === null) continue;
    if (code !== "EADDRINUSE") return `Could not listen on port ${port} of HOST=${host}: ${code}.`;
    const other = options.port + OTHER_PORTS_ABOVE * (options.port < HIGHEST_PORT / 2 ? 1 : -1);
    return (
      `Port ${port} is in use by another program. Stop it, or choose other ports: PORT=${other} npx -y pnpm@12 dev:cluster ` +
      `(for a second cluster also DATA_DIR=${options.folder}-2).`
    );
  }
  return null;
}

function refusal(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = join(ROOT, "services", "node", "src", "main.ts");
const SERVICES: Record<Role, string> = { gateway: "gateway", worker: "workers" };

/** Folder of a process's log and data. */
async function folderOf(options: ClusterOptions, name: string): Promise<string> {
  const folder = join(options.folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Starts the servers the cluster shares, with new passwords each time. `started` is called for each that runs,
 * even if another fails to start.
 */
export async function startServers(
  options: ClusterOptions,
  started: (server: ServerProcess) => void,
): Promise<Record<string, string>> {
  const start = async (
    launch: (options: { folder: string; name: string; password: string }) => Promise<ServerProcess>,
    name: string,
  ): Promise<string> => {
    const password = randomBytes(24).toString("base64url");
    const server = await launch({ folder: await folderOf(options, name), name, password });
    started(server);
    return server.url;
  };
  const [NATS_URL, REDIS_URL, MONGO_URL] = await Promise.all([
    start(startNats, "nats"),
    start(startRedis, "redis"),
    start(startDatabase, "database"),
  ]);
  return { NATS_URL, REDIS_URL, MONGO_URL, FILES_DIR: join(options.folder, "files") };
}

/** A Fanfare process, not started yet. */
export async function fanfareProcess(
  options: ClusterOptions,
  role: Role,
  index: number,
  env: Record<string, string>,
): Promise<ServerProcess> {
  const name = `${role}-${index + 1}`;
  const folder = await folderOf(options, name);
  const port = options.port + index;
  const opsPort = options.opsPort(role, index);
  return new ServerProcess({
    name,
    command: process.execPath,
    args: ["--max-semi-space-size=16", PROGRAM],
    env: {
      ...env,
      SERVICES: SERVICES[role],
      DATA_DIR: folder,
      HOST: options.host,
      PORT: String(port),
      OPS_PORT: String(opsPort),
    },
    cwd: ROOT,
    folder,
    temporary: false,
    port: role === "gateway" ? port : opsPort,
    url: `http://${options.host === "0.0.0.0" ? "localhost" : options.host}:${role === "gateway" ? port : opsPort}`,
    isReady: async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok,
  });
}

/** Debian installs servers outside a user's PATH. */
const SERVER_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

const PROGRAMS = {
  "nats-server": { debian: "nats-server", macos: "nats-server" },
  "redis-server": { debian: "redis-server", macos: "redis" },
};

/**
 * Makes installed servers findable.
 * @returns one line for each missing one, with how to install it
 */
export function findPrograms(): string[] {
  process.env["PATH"] = [process.env["PATH"], ...SERVER_FOLDERS].join(":");
  return Object.entries(PROGRAMS)
    .filter(([program]) => spawnSync(program, ["--version"]).error !== undefined)
    .map(
      ([program, { debian, macos }]) =>
        `${program} is missing. Debian and Ubuntu: sudo apt install ${debian}; macOS: brew install ${macos}.`,
    );
}

/**
 * Restarts a process whenever it exits, until `stopping` or until it has failed too often.
 * @param say prints a line
 */
export async function keepRunning(
  server: ServerProcess,
  stopping: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const restarts = new Restarts();
  let startedMs = performance.now();
  for (;;) {
    const { code, signal } = await server.exit();
    if (stopping.aborted) return;
    const waitMs = restarts.next(performance.now() - startedMs);
    const ended = `${server.name} exited (${signal ?? `exit code ${code}`})`;
    if (waitMs === null) {
      say(`${ended} right after each start. Giving up. Log: ${server.logFile}`);
      return;
    }
    say(`${ended}. Restarting.`);
    await delay(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    startedMs = performance.now();
    try {
      await server.start();
    } catch (error) {
      if (!stopping.aborted) say((error as Error).message);
      continue;
    }
    if (stopping.aborted) return;
    say(`${server.name} is running again, pid ${server.pid}.`);
  }
}

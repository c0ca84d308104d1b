import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerProcess, startDatabase, startNats, startRedis } from "@fanfare/testing";
import type { ClusterOptions, Role } from "./options.ts";
import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { Restarts } from "../supervise.ts";

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

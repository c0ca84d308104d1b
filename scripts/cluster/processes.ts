import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerProcess, startDatabase, startNats, startRedis } from "@fanfare/testing";
import type { ClusterOptions, Role } from "./options.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = join(ROOT, "services", "node", "src", "main.ts");
const SERVICES: Record<Role, string> = { gateway: "gateway", worker: "workers" };

/** Where a process keeps its log, and its data where it has some. */
async function folderOf(options: ClusterOptions, name: string): Promise<string> {
  const folder = join(options.folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** What the processes of a cluster share, with new passwords for each start. `started` is told of each that runs, also when another does not start. */
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

/** One process of Fanfare, not yet started. */
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

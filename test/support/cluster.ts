import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDatabase, startNats, startRedis, TcpProxy, type ServerProcess } from "@fanfare/testing";
import { copyNewDatabase } from "./new-database.ts";
import { startNode, type FanfareNode } from "./node-process.ts";

export interface ClusterOptions {
  gateways?: number;
  workers?: number;
  /** For every Fanfare process. */
  env?: Record<string, string>;
  /** Folder of logs and data, kept when the cluster stops. Default: a temporary one that `stop` removes. */
  folder?: string;
}

/** A Fanfare process with its own network links to everything it talks to. */
export interface ClusterNode extends FanfareNode {
  role: "gateway" | "worker";
  links: { nats: TcpProxy; redis: TcpProxy; database?: TcpProxy; clients?: TcpProxy };
  /** Address of the gateway for clients: through `links.clients`. */
  clientUrl: string;
}

export interface Cluster {
  folder: string;
  nats: ServerProcess;
  redis: ServerProcess;
  database: ServerProcess;
  gateways: readonly ClusterNode[];
  workers: readonly ClusterNode[];
  stop(): Promise<void>;
}

type Running = Record<"gateway" | "worker" | "server" | "proxy", { stop(): Promise<void> }[]>;

/**
 * Starts nats-server, redis-server, the embedded database and Fanfare processes, each as its own process.
 * @throws {Error} if one of them does not start
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "fanfare-cluster-")));
  const running: Running = { gateway: [], worker: [], server: [], proxy: [] };
  const stop = async (): Promise<void> => {
    for (const kind of ["gateway", "worker", "server", "proxy"] as const) {
      await Promise.all(running[kind].splice(0).map((one) => one.stop()));
    }
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  const server = async (
    start: (options: { folder: string; name: string }) => Promise<ServerProcess>,
    name: string,
  ): Promise<ServerProcess> => {
    const started = await start({ folder: await folderFor(folder, name), name });
    running.server.push(started);
    return started;
  };
  const linkTo = async (port: number): Promise<TcpProxy> => {
    const proxy = await TcpProxy.start(port);
    running.proxy.push(proxy);
    return proxy;
  };
  try {
    copyNewDatabase(join(await folderFor(folder, "database"), "data"));
    const [nats, redis, database] = await Promise.all([
      server(startNats, "nats"),
      server(startRedis, "redis"),
      server(startDatabase, "database"),
    ]);
    const startOne = async (role: ClusterNode["role"], index: number): Promise<ClusterNode> => {
      const name = `${role}-${index + 1}`;
      const links: ClusterNode["links"] = {
        nats: await linkTo(nats.port),
        redis: await linkTo(redis.port),
        ...(role === "worker" && { database: await linkTo(database.port) }),
      };
      const node = await startNode({
        name,
        folder: await folderFor(folder, name),
        services: [role === "gateway" ? "gateway" : "workers"],
        env: {
          NATS_URL: `nats://127.0.0.1:${links.nats.port}`,
          REDIS_URL: `redis://127.0.0.1:${links.redis.port}`,
          FILES_DIR: join(folder, "files"),
          ...(links.database && { MONGO_URL: `mongodb://127.0.0.1:${links.database.port}` }),
          ...options.env,
        },
      });
      running[role].push(node.process);
      if (role === "gateway") links.clients = await linkTo(node.process.port);
      const clientPort = links.clients?.port ?? node.process.port;
      return { ...node, role, links, clientUrl: `http://127.0.0.1:${clientPort}` };
    };
    // Workers first: a gateway is only ready when it finds them.
    const many = (role: ClusterNode["role"], count: number): Promise<ClusterNode[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => startOne(role, index)));
    const workers = await many("worker", options.workers ?? 2);
    const gateways = await many("gateway", options.gateways ?? 2);
    return { folder, nats, redis, database, gateways, workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function folderFor(folder: string, name: string): Promise<string> {
  const own = join(folder, name);
  await mkdir(own, { recursive: true });
  return own;
}

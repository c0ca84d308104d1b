import { join } from "node:path";
import { requireCheckout, usageError } from "../cli/exit.ts";
import { processUsage, type ProcessUsage } from "../kernels/broadcast/resource-use.ts";
import {
  databaseProgram,
  freePort,
  isInstalled,
  natsProgram,
  nodeProgram,
  pinned,
  platformEnvironment,
  redisProgram,
} from "./programs.ts";
import { Workplace, type ServerProcess } from "./server-process.ts";

/** A process that clients connect to. */
export interface Gateway {
  url: string;
  metricsUrl: string;
  process: ServerProcess;
}

/** A platform that is started for this run, and removed with it. */
export type Platform = Awaited<ReturnType<typeof startIn>>;

export interface ClusterSize {
  gateways: number;
  workers: number;
}

/** Starts the whole platform in one process, with the embedded database. */
export function startSingleInstance(
  signal: AbortSignal,
  gatewayThreads?: number,
  cores?: string,
): Promise<Platform> {
  return startIn(async (workplace) => {
    const threads = gatewayThreads !== undefined && { GATEWAY_THREADS: String(gatewayThreads) };
    const env = { ...platformEnvironment(), ...threads };
    const gateways = [await addNode(workplace, "throwaway instance", env, cores)];
    await startAll(gateways, signal);
    return { gateways, workers: 0, natsMonitorUrl: undefined };
  });
}

/**
 * A cluster on this machine: nats-server, redis-server, the embedded database as a separate server, workers and
 * gateways.
 * @throws {ExitError} if a program is not installed, or fails to start
 */
export function startCluster(size: ClusterSize, signal: AbortSignal): Promise<Platform> {
  requireCheckout("Starting a cluster");
  const missing = ["nats-server", "redis-server"].filter((program) => !isInstalled(program));
  if (missing.length > 0)
    throw usageError(
      `A cluster on this machine needs ${missing.join(" and ")}: install ${missing.length > 1 ? "them" : "it"} ` +
        `(apt-get install ${missing.join(" ")}), or measure a running one with --url.`,
    );
  return startIn(async (workplace) => {
    const { folder } = workplace;
    const [natsPort, monitorPort] = [await freePort(), await freePort()];
    const [redisPort, databasePort] = [await freePort(), await freePort()];
    const servers = [
      natsProgram(natsPort, monitorPort),
      redisProgram(folder, redisPort),
      databaseProgram(folder, databasePort),
    ];
    await Promise.all(servers.map((program) => workplace.add(program).start(signal)));
    const shared = {
      ...platformEnvironment(),
      NATS_URL: `nats://127.0.0.1:${natsPort}`,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      FILES_DIR: join(folder, "files"),
    };
    const mongoUrl = `mongodb://127.0.0.1:${databasePort}/fanfare`;
    for (let i = 1; i <= size.workers; i++) {
      const env = { ...shared, SERVICES: "workers", MONGO_URL: mongoUrl };
      // In sequence: the first one creates the indexes.
      await startAll([await addNode(workplace, `worker-${i}`, env)], signal);
    }
    const gateways: Gateway[] = [];
    for (let i = 1; i <= size.gateways; i++)
      gateways.push(await addNode(workplace, `gateway-${i}`, { ...shared, SERVICES: "gateway" }));
    await startAll(gateways, signal);
    return { gateways, workers: size.workers, natsMonitorUrl: `http://127.0.0.1:${monitorPort}` };
  });
}

interface Started {
  gateways: readonly Gateway[];
  workers: number;
  /** Monitoring address of nats-server; undefined for a single instance, which has none. */
  natsMonitorUrl: string | undefined;
}

/** Leaves nothing behind if it fails to start. */
async function startIn(start: (workplace: Workplace) => Promise<Started>) {
  const workplace = await Workplace.open();
  const started = await start(workplace).catch(async (error: unknown) => {
    await workplace.close();
    throw error;
  });
  return {
    ...started,
    /** Of everything it writes. */
    folder: workplace.folder,
    /** All that are running; those that are not Fanfare itself are called `database` or `…-server`. */
    get processes() {
      return workplace.processes;
    },
    /** By kind of process: `gateway-2` is a gateway, and a single instance has its database as a child. null: unavailable. */
    usage(): Record<string, ProcessUsage> | null {
      const byKind: Record<string, ProcessUsage> = {};
      for (const { name, pid } of workplace.processes) {
        const usage = processUsage(pid);
        if (usage === null) return null;
        const kind = (byKind[name.replace(/-\d+$/, "")] ??= { rssBytes: 0, cpuSeconds: 0, ownRssBytes: 0 });
        for (const key of ["rssBytes", "cpuSeconds", "ownRssBytes"] as const) kind[key] += usage[key];
      }
      return byKind;
    },
    /** Restarts the processes that hold the connections, with the same data and addresses, and with additional settings. */
    async refresh(signal: AbortSignal, env?: NodeJS.ProcessEnv): Promise<void> {
      await Promise.all(started.gateways.map(({ process }) => process.stop()));
      await startAll(started.gateways, signal, env);
    },
    close: () => workplace.close(),
  };
}

const startAll = (nodes: readonly Gateway[], signal: AbortSignal, env?: NodeJS.ProcessEnv) =>
  Promise.all(nodes.map(({ process }) => process.start(signal, env)));

/** A process of the platform, not started yet. */
async function addNode(
  workplace: Workplace,
  name: string,
  env: NodeJS.ProcessEnv,
  cores?: string,
): Promise<Gateway> {
  const [port, opsPort] = [await freePort(), await freePort()];
  const program = nodeProgram(name, { env, port, opsPort, dataDir: join(workplace.folder, name) });
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${opsPort}/metrics`,
    process: workplace.add(cores === undefined ? program : pinned(program, cores)),
  };
}

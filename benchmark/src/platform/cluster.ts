import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { usageError } from "../cli/exit.ts";
import { requireCheckout } from "../cli/program.ts";
import { freePort } from "./free-port.ts";
import type { Gateway, Platform } from "./platform.ts";
import {
  cleanEnvironment,
  databaseProgram,
  natsProgram,
  nodeProgram,
  platformEnvironment,
  redisProgram,
} from "./programs.ts";
import { Workplace } from "./workplace.ts";

export interface ClusterSize {
  gateways: number;
  workers: number;
}

/**
 * A cluster on this machine: nats-server, redis-server, the embedded database as a separate server, workers and
 * gateways.
 * @throws {ExitError} if a program is not installed, or fails to start
 */
export async function startCluster(size: ClusterSize, signal: AbortSignal): Promise<Platform> {
  requireCheckout("Starting a cluster");
  assertInstalled("nats-server", "redis-server");
  const workplace = await Workplace.open();
  try {
    return await startIn(workplace, size, signal);
  } catch (error) {
    await workplace.close();
    throw error;
  }
}

async function startIn(workplace: Workplace, size: ClusterSize, signal: AbortSignal): Promise<Platform> {
  const { folder } = workplace;
  const [natsPort, monitorPort, redisPort, databasePort] = await freePorts(4);
  const servers = [
    natsProgram(natsPort!, monitorPort!),
    redisProgram(folder, redisPort!),
    databaseProgram(folder, databasePort!),
  ].map((program) => workplace.add(program));
  await Promise.all(servers.map((server) => server.start(signal)));

  const shared = {
    ...platformEnvironment(),
    NATS_URL: `nats://127.0.0.1:${natsPort}`,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    FILES_DIR: join(folder, "files"),
  };
  const place = async (name: string, env: NodeJS.ProcessEnv): Promise<Gateway> => {
    const [port, opsPort] = await freePorts(2);
    const dataDir = join(folder, name);
    const settings = { env: { ...shared, ...env }, port: port!, opsPort: opsPort!, dataDir };
    return {
      url: `http://127.0.0.1:${port}`,
      metricsUrl: `http://127.0.0.1:${opsPort}/metrics`,
      process: workplace.add(nodeProgram(name, settings)),
    };
  };
  const mongoUrl = `mongodb://127.0.0.1:${databasePort}/fanfare`;
  for (let i = 1; i <= size.workers; i++) {
    const worker = await place(`worker-${i}`, { SERVICES: "workers", MONGO_URL: mongoUrl });
    // In sequence: the first one creates the indexes.
    await worker.process.start(signal);
  }
  const gateways: Gateway[] = [];
  for (let i = 1; i <= size.gateways; i++)
    gateways.push(await place(`gateway-${i}`, { SERVICES: "gateway" }));
  const startAll = (startSignal: AbortSignal) =>
    Promise.all(gateways.map(({ process }) => process.start(startSignal)));
  await startAll(signal);
  return {
    gateways,
    workers: size.workers,
    folder,
    natsMonitorUrl: `http://127.0.0.1:${monitorPort}`,
    get processes() {
      return workplace.processes;
    },
    async refresh(refreshSignal) {
      await Promise.all(gateways.map(({ process }) => process.stop()));
      await startAll(refreshSignal);
    },
    close: () => workplace.close(),
  };
}

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

/** @throws {ExitError} listing all missing programs */
function assertInstalled(...programs: string[]): void {
  const folders = cleanEnvironment()["PATH"]!.split(delimiter);
  const missing = programs.filter(
    (program) => !folders.some((folder) => isExecutable(join(folder, program))),
  );
  if (missing.length === 0) return;
  throw usageError(
    `A cluster on this machine needs ${missing.join(" and ")}: install ${missing.length > 1 ? "them" : "it"} ` +
      `(apt-get install ${missing.join(" ")}), or measure a running one with --url.`,
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

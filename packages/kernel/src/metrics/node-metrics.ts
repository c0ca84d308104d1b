import { readdir, readFile } from "node:fs/promises";
import { totalmem } from "node:os";
import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from "prom-client";
import type { ServiceBroker } from "moleculer";
import type { Connection } from "mongoose";
import type { Redis } from "ioredis";
import { PROGRAM_VERSION } from "../program-version.ts";
import { readGauge, threadMetrics } from "../metrics.ts";
import type { Threads } from "../start-node.ts";

interface ProcessInfo {
  services: readonly string[];
  /** null: the process has no database. */
  engine: "embedded" | "mongodb" | null;
  isReady: () => boolean;
}

/** Metrics about the process and its limits. */
export function describeProcess(registry: Registry, { services, engine, isReady }: ProcessInfo): void {
  const registers = [registry];
  const info = new Gauge({
    name: "fanfare_build_info",
    help: "Always 1, labeled with the versions of Fanfare and Node and the kind of storage: embedded, mongodb or none.",
    labelNames: ["version", "node_version", "engine"],
    registers,
  });
  info.set({ version: PROGRAM_VERSION, node_version: process.version, engine: engine ?? "none" }, 1);
  const hosted = new Gauge({
    name: "fanfare_service_info",
    help: "1 for each service that this process runs.",
    labelNames: ["service"],
    registers,
  });
  for (const service of services) hosted.set({ service }, 1);
  readGauge({
    name: "fanfare_ready",
    help: "1 if /readyz reports ready, otherwise 0.",
    registry,
    read: () => (isReady() ? 1 : 0),
  });
  readGauge({
    name: "fanfare_memory_limit_bytes",
    help: "Memory limit of this process in bytes: that of its container or of the machine.",
    registry,
    read: memoryLimit,
  });
  readGauge({
    name: "fanfare_memory_used_bytes",
    help: "Memory of this process in bytes. On Linux, with that of the embedded database, plug-ins and other child processes.",
    registry,
    read: async () => process.memoryUsage.rss() + (await memoryOfChildren(process.pid)),
  });
}

/** Memory of all descendants in bytes, without what several processes can share, such as the program. 0 where there is no /proc. */
async function memoryOfChildren(pid: number | string): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => readProc(`${pid}/task/${thread}/children`)));
  const children = lists.join(" ").match(/\d+/g) ?? [];
  const ofEach = children.map(async (child) => {
    const sizes = (await readProc(`${child}/status`)).matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm);
    return [...sizes].reduce((sum, [, size]) => sum + Number(size) * 1024, await memoryOfChildren(child));
  });
  return (await Promise.all(ofEach)).reduce((sum, bytes) => sum + bytes, 0);
}

/** Empty when the process has ended. */
const readProc = (path: string): Promise<string> => readFile(`/proc/${path}`, "utf8").catch(() => "");

/** Without a container limit, the system reports 0 or more than the machine's memory. */
function memoryLimit(): number {
  const own = process.constrainedMemory();
  const all = totalmem();
  return own > 0 && own < all ? own : all;
}

export const OVERLOADED_METRIC = "fanfare_overloaded_seconds";

/**
 * How long the process has been overloaded, in seconds; 0 if it isn't.
 * @param threads the threads of its gateways, if they don't run in the main thread
 */
export async function overloadedForSeconds(registry: Registry, threads?: Threads): Promise<number> {
  const own = await threadMetrics(registry, OVERLOADED_METRIC);
  const ofThreads = await threads?.metrics(OVERLOADED_METRIC);
  const gauges = [...own, ...(ofThreads?.flat() ?? [])] as MetricObjectWithValues<MetricValue<string>>[];
  return Math.max(0, ...gauges.flatMap(({ values }) => values.map(({ value }) => value)));
}

export function watchBroker(registry: Registry, broker: ServiceBroker): void {
  if (broker.transit === undefined) return;
  readGauge({
    name: "fanfare_calls_pending",
    help: "Calls to other processes in progress.",
    registry,
    read: () => broker.transit?.pendingRequests.size ?? 0,
  });
  readGauge({
    name: "fanfare_known_nodes",
    help: "Brokers that this broker can call, including itself: one per process and gateway thread.",
    registry,
    aggregator: "max",
    read: () => broker.registry.nodes.toArray().filter(({ available }) => available).length,
  });
}

interface Pooled {
  address: string;
  connectionId: number | "<monitor>";
}

/**
 * Measures commands by the events of the driver's pool, because a connection is checked out for exactly one command. The driver's
 * command events would include names, but cost 10-30 % of a command because it decodes every reply twice.
 * @param database connected, without commands in progress
 */
export function watchDatabase(registry: Registry, database: Connection): void {
  const client = database.getClient();
  const registers = [registry];
  const duration = new Histogram({
    name: "fanfare_database_command_duration_seconds",
    help: "Duration of database commands in seconds, including the network.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const waited = new Histogram({
    name: "fanfare_database_checkout_duration_seconds",
    help: "Time that database commands waited for a connection, in seconds.",
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
    registers,
  });
  const failures = new Counter({
    name: "fanfare_database_failures_total",
    help: "Database connection failures: 'checkout' (no connection available), 'pool_cleared' (all connections dropped after one failed), 'heartbeat' (a server did not answer).",
    labelNames: ["kind"],
    registers,
  });
  for (const kind of ["checkout", "pool_cleared", "heartbeat"]) failures.inc({ kind }, 0);
  const taken = new Map<string, number>();
  let waiting = 0;
  readGauge({
    name: "fanfare_database_connections_in_use",
    help: "Database connections in use by a command.",
    registry,
    read: () => taken.size,
  });
  readGauge({
    name: "fanfare_database_commands_waiting",
    help: "Database commands waiting for a connection.",
    registry,
    read: () => Math.max(0, waiting),
  });
  new Gauge({
    name: "fanfare_database_connections_max",
    help: "Maximum number of connections to one database server.",
    registers,
  }).set(client.options.maxPoolSize);

  const key = ({ address, connectionId }: Pooled): string => `${address} ${connectionId}`;
  const secondsSince = (sinceMs: number): number => (performance.now() - sinceMs) / 1000;
  client.on("connectionCheckOutStarted", () => void (waiting += 1));
  client.on("connectionCheckedOut", (event) => {
    waiting -= 1;
    waited.observe(event.durationMS / 1000);
    taken.set(key(event), performance.now());
  });
  client.on("connectionCheckOutFailed", () => {
    waiting -= 1;
    failures.inc({ kind: "checkout" });
  });
  client.on("connectionCheckedIn", (event) => {
    const sinceMs = taken.get(key(event));
    if (sinceMs === undefined) return;
    taken.delete(key(event));
    duration.observe(secondsSince(sinceMs));
  });
  client.on("connectionClosed", (event) => void taken.delete(key(event)));
  client.on("connectionPoolCleared", () => failures.inc({ kind: "pool_cleared" }));
  client.on("serverHeartbeatFailed", () => failures.inc({ kind: "heartbeat" }));
}

/** Metrics of the embedded database, from `serverStatus.fanfare`. */
interface Filling {
  dataBytes: number;
  maxDataBytes: number;
}

/**
 * Exports the size of the embedded database and its limit, read on each scrape. MongoDB has its own exporter.
 * @param database a connection to an embedded database, here or at MONGO_URL
 */
export function watchEmbeddedDatabase(registry: Registry, database: Connection): void {
  const admin = database.getClient().db("admin");
  let pending: Promise<Filling | undefined> | undefined;
  /** Runs once for all gauges of a scrape. A failed command doesn't fail the scrape; other metrics show that the database is down. */
  const ask = () =>
    (pending ??= admin
      .command({ serverStatus: 1 })
      .then(
        (status): Filling => status["fanfare"],
        () => undefined,
      )
      .finally(() => (pending = undefined)));
  const watch = (name: string, help: string, read: (filling: Filling) => number) => {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        const filling = await ask();
        if (filling !== undefined) gauge.set(read(filling));
      },
    });
    registry.registerMetric(gauge);
  };
  watch(
    "fanfare_database_data_bytes",
    "Size of the documents and indexes of the embedded database on disk. Absent with MongoDB.",
    ({ dataBytes }) => dataBytes,
  );
  watch(
    "fanfare_database_data_max_bytes",
    "Size of the embedded database plus the free space of its disk.",
    ({ maxDataBytes }) => maxDataBytes,
  );
}

/** @param redis a connected client */
export function watchRedis(registry: Registry, redis: Redis): void {
  readGauge({
    name: "fanfare_redis_connected",
    help: "1 if connected to Redis, otherwise 0.",
    registry,
    read: () => (redis.status === "ready" ? 1 : 0),
  });
  const reconnects = new Counter({
    name: "fanfare_redis_reconnects_total",
    help: "Reconnections to Redis.",
    registers: [registry],
  });
  redis.on("ready", () => reconnects.inc());
}

import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
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
import { readGauge } from "../metrics.ts";
import type { Threads } from "../start-node.ts";
import { threadMetrics } from "../threads/merged-metrics.ts";

interface ProcessFacts {
  services: readonly string[];
  /** Where it stores; null: nowhere. */
  engine: "embedded" | "mongodb" | null;
  isReady: () => boolean;
}

/** Metrics about the process and its limits. */
export function describeProcess(registry: Registry, { services, engine, isReady }: ProcessFacts): void {
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
  new Gauge({
    name: "nodejs_heap_size_limit_bytes",
    help: "Heap limit of the main thread in bytes.",
    registers,
  }).set(getHeapStatistics().heap_size_limit);
}

/** Without a limit of its own the system says a number beyond all memory, or none. */
function memoryLimit(): number {
  const own = process.constrainedMemory();
  const all = totalmem();
  return own > 0 && own < all ? own : all;
}

/** A gateway's own gauge: for how many seconds it has been overloaded. */
export const OVERLOADED_METRIC = "fanfare_overloaded_seconds";

/**
 * The seconds for which the process has been overloaded, 0 where it is not.
 * @param threads where its gateways run, if not in the main thread
 */
export async function overloadedForSeconds(registry: Registry, threads?: Threads): Promise<number> {
  const own = await threadMetrics(registry, OVERLOADED_METRIC);
  const ofThreads = await threads?.metrics(OVERLOADED_METRIC);
  const gauges = [...own, ...(ofThreads?.flat() ?? [])] as MetricObjectWithValues<MetricValue<string>>[];
  return Math.max(0, ...gauges.flatMap(({ values }) => values.map(({ value }) => value)));
}

/** What this process knows of the others that it calls. */
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

/** A connection of one server's pool. */
interface Pooled {
  address: string;
  connectionId: number | "<monitor>";
}

/**
 * Watches the driver's pool: a connection is taken for one command and given back with its answer. The driver would also tell of
 * each command with its name, but decodes every answer twice for that, a tenth to a third of what a command costs here.
 * @param database is connected, and nothing is under way on it
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
 * Exports the size of the embedded database's file and how large it can get, read on each scrape. Exports nothing for MongoDB, which
 * has its own exporter.
 * @param database is connected, to an embedded database here or behind MONGO_URL, or to a MongoDB
 */
export async function watchEmbeddedDatabase(registry: Registry, database: Connection): Promise<void> {
  const admin = database.getClient().db("admin");
  const { modules } = await admin.command({ buildInfo: 1 });
  if (!Array.isArray(modules) || !modules.includes("fanfare-embedded-mongo")) return;

  let asked: Promise<Filling | undefined> | undefined;
  /** Once for all gauges of a scrape. A failed command doesn't fail the scrape: other metrics show that the database is down. */
  const ask = () =>
    (asked ??= admin
      .command({ serverStatus: 1 })
      .then(
        (status): Filling => status["fanfare"],
        () => undefined,
      )
      .finally(() => (asked = undefined)));
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

/** @param redis is connected */
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

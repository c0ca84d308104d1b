import type { MessagePort } from "node:worker_threads";
import { ESSENTIAL_SERVICES, LIMITS } from "@fanfare/contract";
import { ThreadHub, ThreadSpoke } from "@fanfare/fanout";
import type { Jobs } from "@fanfare/jobs";
import type { ServiceBroker, ServiceSchema } from "moleculer";
import { createBroker, createNodeId, STOP_MS, stopServices } from "./broker.ts";
import { CallTracking } from "./call-tracking.ts";
import { watchCluster } from "./cluster.ts";
import { needsDatabase, type Config } from "./config.ts";
import { createContext, type NodeContext } from "./node-context.ts";
import type { Database } from "./database.ts";
import { createLogger, type Logger } from "./logger.ts";
import { createMetrics, mergeMetrics, type ThreadMetrics } from "./metrics.ts";
import {
  describeProcess,
  overloadedForSeconds,
  watchBroker,
  watchDatabase,
  watchEmbeddedDatabase,
  watchRedis,
} from "./metrics/node-metrics.ts";
import { openLinks } from "./open-links.ts";
import {
  redisCounters,
  type SharedCounters,
  countersOfMainThread,
  hostCounters,
} from "./rate-limits/counters.ts";
import { startOpsServer } from "./ops-server.ts";
import { runForRequest } from "./request-scope.ts";
import { loadTokenSecret } from "./tokens.ts";
import { openTracing, type Tracing } from "./tracing/tracing.ts";

export interface RunningNode {
  context: NodeContext;
  /** null if this process has no database. */
  engine: Database["engine"] | null;
  /** 0 in a gateway thread. */
  opsPort: number;
  /** Stops the services in the reverse order of their factories, then the database. All acknowledged writes are on disk. */
  stop(): Promise<void>;
  /**
   * For a process that must exit because its state can no longer be trusted: gateways reject every call and disconnect their clients.
   * Work in progress is not finished.
   */
  abandon(): Promise<void>;
}

/** The threads that host services in addition to the main thread. */
export interface Threads {
  /** @param name only this metric; null: all */
  metrics(name: string | null): Promise<ThreadMetrics[]>;
  /** Resolves when work in progress is finished. */
  stop(): Promise<void>;
  /** See `RunningNode.abandon`. */
  abandon(): Promise<void>;
}

export interface NodeOptions {
  /** Called when the services of this thread have started; stopped before them. */
  startThreads?: ((hub: ThreadHub) => Promise<Threads>) | undefined;
  /** In a gateway thread: the port to the main thread, which also reports its health. */
  mainThread?: MessagePort;
  /** false: leaves them to other processes, or to the next start. Default: true. */
  runsJobs?: boolean;
}

export type ServiceFactory = (node: NodeContext) => ServiceSchema;

/**
 * Starts a process: database, broker, services and ops server. While the database is being migrated, it is alive but not ready.
 * @param onFatal called if the process can no longer work and should exit
 */
export async function startNode(
  config: Config,
  factories: readonly ServiceFactory[],
  onFatal: (error: Error) => void,
  { startThreads, mainThread, runsJobs = true }: NodeOptions = {},
): Promise<RunningNode> {
  const nodeId = createNodeId();
  const logger = createLogger(config.logLevel, { environment: config.environment, node: nodeId });
  const metrics = createMetrics(mainThread !== undefined);
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  try {
    const secret = await loadTokenSecret(config);
    const isThreaded = startThreads !== undefined || mainThread !== undefined;
    const bus = config.natsUrl !== undefined ? "nats" : isThreaded ? "threads" : "none";
    const tracing = await openTracing(config.tracing, { logger, metrics, nodeId, bus });
    if (tracing !== undefined) closers.push(() => tracing.stop());
    const faults = new Set<string>();
    const redis = await openRedis(config, logger, metrics);
    if (redis !== null) closers.push(async () => void (await redis.quit().catch(() => redis.disconnect())));
    const database = await openOwnDatabase(config, { logger, metrics, tracing }, (error) => {
      faults.add("the database has stopped");
      onFatal(error);
    });
    if (database !== null) closers.push(() => database.close());

    const hub = startThreads === undefined ? undefined : new ThreadHub();
    const threadBus = hub ?? (mainThread === undefined ? undefined : new ThreadSpoke(mainThread));

    const links = await openLinks(config, nodeId, threadBus);
    closers.push(() => links.close());

    const tracking = new CallTracking({ metrics, logger, tracing });
    const broker = createBroker({
      logger,
      nodeId,
      tracking,
      tracing: tracing?.middleware,
      requestTimeoutMs: LIMITS.writeTimeoutMs,
      ...(links.transport === undefined ? {} : { transport: links.transport }),
    });
    watchBroker(metrics, broker);
    const cluster = watchCluster(broker, config.services.includes("gateway") ? ESSENTIAL_SERVICES : []);
    const jobs = database === null ? null : await openJobs(database, logger, metrics);
    const context = createContext(config, {
      logger,
      metrics,
      broker,
      bus: links.openBus({ logger, metrics }, () => cluster.missed()),
      redis,
      counters: redis !== null ? redisCounters(redis) : threadCounters(broker, hub, mainThread),
      cluster,
      secret,
      connection: database?.connection ?? null,
      isDatabaseEmbedded: database?.isEmbedded ?? false,
      jobs,
      tracing,
    });
    const services = factories.map((factory) => broker.createService(factory(context)));
    const starting = "the services are starting";
    faults.add(starting);
    let threads: Threads | undefined;
    let preparing: string | undefined;
    const notReady = (): string[] =>
      preparing === undefined ? [...faults, ...cluster.faults()] : [preparing];
    if (mainThread === undefined) {
      const engine = database?.engine ?? null;
      describeProcess(metrics, { services: config.services, engine, isReady: () => notReady().length === 0 });
    }
    const ops =
      mainThread !== undefined
        ? undefined
        : await startOpsServer({
            host: config.opsHost,
            port: config.opsPort,
            metrics: async () =>
              threads === undefined
                ? metrics
                : mergeMetrics([await metrics.getMetricsAsJSON(), ...(await threads.metrics(null))]),
            notReady,
            overloadedForSeconds: () => overloadedForSeconds(metrics, threads),
          });
    if (ops !== undefined) closers.push(() => ops.close());
    closers.push(async () => {
      faults.add("the process is stopping");
      const deadlineMs = performance.now() + STOP_MS;
      await threads?.stop();
      // Before the services, because running jobs call them.
      await jobs?.stop((deadlineMs - performance.now()) / 2);
      await stopServices(broker, services, tracking, deadlineMs);
    });
    if (database !== null) {
      const { prepareDatabase } = await import("./migrations/migrate.ts");
      await prepareDatabase(database, config, logger, (doing) => (preparing = doing));
      preparing = undefined;
    }
    await broker.start();
    if (runsJobs) await jobs?.start();
    if (hub !== undefined) threads = await startThreads?.(hub);
    const abandon = async (): Promise<void> => {
      faults.add("the process is ending after an error");
      await Promise.all([broker.broadcastLocal("process.abandoned"), threads?.abandon()]);
    };
    faults.delete(starting);
    return { context, engine: database?.engine ?? null, opsPort: ops?.port ?? 0, stop: closeAll, abandon };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** null if this is the only thread with rate limits. */
function threadCounters(
  broker: ServiceBroker,
  hub: ThreadHub | undefined,
  mainThread: MessagePort | undefined,
): SharedCounters | null {
  if (hub !== undefined) return hostCounters(broker);
  return mainThread === undefined ? null : countersOfMainThread(broker);
}

// Loaded on demand: it would be a quarter of a gateway thread's memory.

async function openRedis(
  { redisUrl }: Config,
  logger: Logger,
  metrics: NodeContext["metrics"],
): Promise<NodeContext["redis"]> {
  if (redisUrl === undefined) return null;
  const { connectRedis } = await import("./redis.ts");
  const redis = await connectRedis(redisUrl, logger);
  watchRedis(metrics, redis);
  return redis;
}

async function openOwnDatabase(
  config: Config,
  { logger, metrics, tracing }: Pick<NodeContext, "logger" | "metrics"> & { tracing: Tracing | undefined },
  onLost: (error: Error) => void,
): Promise<Database | null> {
  if (!needsDatabase(config)) return null;
  const { openDatabase } = await import("./database.ts");
  const database = await openDatabase(config, onLost, {
    onProgress: (message) => logger.info(message),
    watchCommands: tracing?.commands,
  });
  if (database.isEmbedded) watchEmbeddedDatabase(metrics, database.connection);
  watchDatabase(metrics, database.connection);
  return database;
}

async function openJobs(
  { connection }: Database,
  logger: Logger,
  metrics: NodeContext["metrics"],
): Promise<Jobs> {
  const { Jobs: JobsOfProcess } = await import("@fanfare/jobs");
  return new JobsOfProcess({
    connection,
    logger,
    metrics,
    inScope: (jobId, kind, work) => runForRequest(jobId, kind, work, undefined),
  });
}

import { LIMITS } from "@fanfare/contract";
import { LocalFanout } from "@fanfare/fanout";
import type { ServiceBroker, ServiceSchema } from "moleculer";
import { AccessCache, accessLookUp } from "./access.ts";
import type { CallMeta } from "./actor.ts";
import { createBroker } from "./broker.ts";
import type { Config } from "./config.ts";
import { openDatabase } from "./database.ts";
import { createLogger } from "./logger.ts";
import { createMetrics } from "./metrics.ts";
import type { NodeContext } from "./node-context.ts";
import { connectRedis } from "./redis.ts";
import { startOpsServer } from "./ops-server.ts";
import { createAccessTokens, loadTokenSecret } from "./tokens.ts";

export interface RunningNode {
  context: NodeContext;
  engine: "embedded" | "mongodb";
  opsPort: number;
  /** Stops the services in the reverse order of their factories, then the database: what was acknowledged is on disk. */
  stop(): Promise<void>;
}

export type ServiceFactory = (node: NodeContext) => ServiceSchema;

const noActor: CallMeta = { actor: null, requestId: "server" };

/**
 * Starts one process: database, broker, services, health.
 * @param onFatal is called when the process can no longer do its work and should end
 */
export async function startNode(
  config: Config,
  factories: readonly ServiceFactory[],
  onFatal: (error: Error) => void,
): Promise<RunningNode> {
  const logger = createLogger(config.logLevel);
  const metrics = createMetrics();
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  try {
    const secret = await loadTokenSecret(config);
    const faults = new Set(["the services are starting"]);
    const redis = config.redisUrl === undefined ? null : await connectRedis(config.redisUrl, logger);
    if (redis !== null) closers.push(async () => void (await redis.quit().catch(() => redis.disconnect())));
    const database = await openDatabase(config, (error) => {
      faults.add("the database has stopped");
      onFatal(error);
    });
    closers.push(() => database.close());

    const broker = createBroker({
      logger,
      requestTimeoutMs: LIMITS.writeTimeoutMs,
      ...(config.natsUrl === undefined ? {} : { natsUrl: config.natsUrl }),
    });
    const context = createContext(config, {
      logger,
      metrics,
      broker,
      redis,
      secret,
      connection: database.connection,
    });
    const services = factories.map((factory) => broker.createService(factory(context)));
    broker.createService({
      name: "access-cache",
      events: {
        "access.changed": (event: { params: { groupId: string; userId: string | null } }) =>
          context.access.invalidate(event.params.groupId, event.params.userId),
      },
    });
    const ops = await startOpsServer({
      host: config.opsHost,
      port: config.opsPort,
      metrics,
      notReady: () => [...faults],
    });
    closers.push(() => ops.close());
    closers.push(async () => {
      faults.add("the process is stopping");
      // One after the other, so that the last one, the gateway, can still have its running calls answered by the others.
      for (const service of services.toReversed()) await broker.destroyService(service);
      await broker.stop();
    });
    await broker.start();
    faults.delete("the services are starting");
    return { context, engine: database.engine, opsPort: ops.port, stop: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

interface Parts extends Pick<NodeContext, "logger" | "metrics"> {
  broker: ServiceBroker;
  redis: NodeContext["redis"];
  secret: string;
  connection: NodeContext["database"];
}

function createContext(
  config: Config,
  { logger, metrics, broker, redis, secret, connection }: Parts,
): NodeContext {
  const fanout = new LocalFanout();
  const call: NodeContext["call"] = (name, params) => broker.call(name, params, { meta: noActor });
  return {
    config,
    logger,
    metrics,
    redis,
    database: connection,
    tokens: createAccessTokens(secret),
    access: new AccessCache(accessLookUp(call)),
    fanout,
    publish: (rooms, name, payload) => fanout.emit(rooms, name, payload),
    broadcast: (name, payload) => void broker.broadcast(name, payload),
    call,
  };
}

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
import { startOpsServer } from "./ops-server.ts";
import { createAccessTokens, loadTokenSecret } from "./tokens.ts";

export interface RunningNode {
  context: NodeContext;
  engine: "embedded" | "mongodb";
  opsPort: number;
  /** Stops the services, then the database: what was acknowledged is on disk. */
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
    const lost: string[] = [];
    const database = await openDatabase(config, (error) => {
      lost.push("the database has stopped");
      onFatal(error);
    });
    closers.push(() => database.close());

    const broker = createBroker({ logger, requestTimeoutMs: LIMITS.writeTimeoutMs });
    const context = createContext(config, {
      logger,
      metrics,
      broker,
      secret,
      connection: database.connection,
    });
    for (const factory of factories) broker.createService(factory(context));
    broker.createService({
      name: "access-cache",
      events: {
        "access.changed": (event: { params: { groupId: string; userId: string | null } }) =>
          context.access.invalidate(event.params.groupId, event.params.userId),
      },
    });
    closers.push(() => broker.stop());
    let started = false;
    const ops = await startOpsServer({
      host: config.opsHost,
      port: config.opsPort,
      metrics,
      notReady: () => (started ? lost : ["the services are starting"]),
    });
    closers.push(() => ops.close());
    await broker.start();
    started = true;
    return { context, engine: database.engine, opsPort: ops.port, stop: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

interface Parts extends Pick<NodeContext, "logger" | "metrics"> {
  broker: ServiceBroker;
  secret: string;
  connection: NodeContext["database"];
}

function createContext(config: Config, { logger, metrics, broker, secret, connection }: Parts): NodeContext {
  const fanout = new LocalFanout();
  const call: NodeContext["call"] = (name, params) => broker.call(name, params, { meta: noActor });
  return {
    config,
    logger,
    metrics,
    database: connection,
    tokens: createAccessTokens(secret),
    access: new AccessCache(accessLookUp(call)),
    fanout,
    publish: (rooms, name, payload) => fanout.emit(rooms, name, payload),
    broadcast: (name, payload) => void broker.broadcast(name, payload),
    call,
  };
}

import { LIMITS } from "@fanfare/contract";
import { Jobs } from "@fanfare/jobs";
import { createBroker } from "./broker.ts";
import { watchCluster } from "./cluster.ts";
import type { Config } from "./config.ts";
import type { Database } from "./database.ts";
import { createContext } from "./node-context.ts";
import { createLogger } from "./logger.ts";
import { createMetrics } from "./metrics.ts";
import type { ServiceFactory } from "./start-node.ts";

/**
 * Declares the models of services on a connection without starting the services.
 * @param config of a single-process instance
 */
export function declareModels(
  config: Config,
  factories: readonly ServiceFactory[],
  { connection, isEmbedded: isDatabaseEmbedded }: Database,
): void {
  const logger = createLogger("silent");
  const metrics = createMetrics();
  const broker = createBroker({ logger, requestTimeoutMs: LIMITS.writeTimeoutMs });
  const context = createContext(config, {
    logger,
    metrics,
    broker,
    bus: null,
    redis: null,
    counters: null,
    cluster: watchCluster(broker, []),
    secret: "nothing is signed or sealed with this",
    connection,
    isDatabaseEmbedded,
    jobs: new Jobs({ connection, logger, metrics }),
    tracing: undefined,
  });
  for (const factory of factories) factory(context);
}

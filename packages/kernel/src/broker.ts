import { ServiceBroker, type BrokerOptions, type Middleware } from "moleculer";
import type { CallTracking } from "./call-tracking.ts";
import { ChannelStrategy } from "./channel-strategy.ts";
import { Discoverer } from "./discoverer.ts";
import { ServiceErrorRegenerator } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { createNodeId } from "./node-id.ts";

export type Transport = Pick<BrokerOptions, "transporter" | "serializer">;

export interface BrokerSettings {
  logger: Logger;
  /** Default: one that is never used twice. */
  nodeId?: string;
  /** How it reaches other brokers; undefined: there are none. */
  transport?: Transport;
  /** How long a call may take, in milliseconds. */
  requestTimeoutMs: number;
  tracking?: CallTracking;
  /** Makes spans of calls; undefined: calls are not traced. */
  tracing?: Middleware | undefined;
}

/** A broker that answers a call in its own process wherever the process hosts the service. */
export function createBroker(settings: BrokerSettings): ServiceBroker {
  const options: BrokerOptions = {
    logger: false,
    nodeID: settings.nodeId ?? createNodeId(),
    requestTimeout: settings.requestTimeoutMs,
    registry: { preferLocal: true, strategy: ChannelStrategy, discoverer: new Discoverer(), stopDelay: 0 },
    // Params are parsed by the contract (define-service.ts); metrics and tracing cost a tenth of the local call rate each.
    validator: false,
    metrics: false,
    tracing: false,
    errorRegenerator: new ServiceErrorRegenerator(),
    // Services wait for each other at start: the defaults of one second make every start two seconds longer.
    dependencyInterval: 50,
    transit: { serviceChangedDebounceTime: 0 } as NonNullable<BrokerOptions["transit"]>,
    skipProcessEventRegistration: true,
    internalServices: false,
    ...settings.transport,
  };
  const broker = new ServiceBroker(options);
  // After Moleculer's own, so that it sees what the timeout has made of a call.
  if (settings.tracking !== undefined) broker.middlewares.add(settings.tracking.middleware);
  if (settings.tracing !== undefined) broker.middlewares.add(settings.tracing);
  broker.localBus.on("$broker.error", (error: unknown) =>
    settings.logger.error({ err: error }, "broker error"),
  );
  return broker;
}

import { ServiceBroker, type BrokerOptions } from "moleculer";
import { ServiceErrorRegenerator } from "./errors.ts";
import type { Logger } from "./logger.ts";

export interface BrokerSettings {
  logger: Logger;
  nodeId?: string;
  /** `nats://host:port`; undefined: this process alone. */
  natsUrl?: string;
  /** How long a call may take, in milliseconds. */
  requestTimeoutMs: number;
}

/** A broker that answers a call in its own process wherever the process hosts the service. */
export function createBroker(settings: BrokerSettings): ServiceBroker {
  const options: BrokerOptions = {
    logger: false,
    requestTimeout: settings.requestTimeoutMs,
    registry: { preferLocal: true },
    // Params are parsed by the contract (define-service.ts); metrics and tracing cost a tenth of the local call rate each.
    validator: false,
    metrics: false,
    tracing: false,
    errorRegenerator: new ServiceErrorRegenerator(),
    // Services wait for each other at start: the default of one second makes every start a second longer.
    dependencyInterval: 50,
    skipProcessEventRegistration: true,
    internalServices: false,
  };
  if (settings.nodeId !== undefined) options.nodeID = settings.nodeId;
  if (settings.natsUrl !== undefined) {
    options.transporter = { type: "NATS", options: { url: settings.natsUrl } };
  }
  const broker = new ServiceBroker(options);
  broker.localBus.on("$broker.error", (error: unknown) =>
    settings.logger.error({ err: error }, "broker error"),
  );
  return broker;
}

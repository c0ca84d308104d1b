import { ServiceBroker, type BrokerOptions, type Middleware, Discoverers } from "moleculer";
import type { CallTracking } from "./call-tracking.ts";
import { ChannelStrategy } from "./channel-strategy.ts";
import { ServiceErrorRegenerator } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { createNodeId } from "./node-id.ts";

/** A node is taken for dead when it was not heard of for longer than this. */
const HEARTBEAT_INTERVAL_S = 1;

const HEARTBEAT_TIMEOUT_S = 3;
const CHECK_MS = 500;

/** A check that comes this late means that this process was paused: heartbeats from that time are still unread. */
const LATE_MS = 1000;

/** Moleculer's own, but it looks often enough to notice a dead node within 3 to 5 s, and never blames others for its own rest. */
class Discoverer extends Discoverers.Local {
  #checkedMs = 0;

  constructor() {
    super({ heartbeatInterval: HEARTBEAT_INTERVAL_S, heartbeatTimeout: HEARTBEAT_TIMEOUT_S });
  }

  override startHeartbeatTimers(): void {
    super.startHeartbeatTimers();
    clearInterval(this.checkNodesTimer);
    this.#checkedMs = performance.now();
    // After a connection loss all heartbeats are late, which says nothing about the other processes.
    for (const node of this.registry.nodes.toArray()) node.lastHeartbeatTime = Math.round(process.uptime());
    void this.beat();
    this.checkNodesTimer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  #check(): void {
    const sinceMs = performance.now() - this.#checkedMs;
    this.#checkedMs += sinceMs;
    if (sinceMs < LATE_MS) this.checkRemoteNodes();
  }
}

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

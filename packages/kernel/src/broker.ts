import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import {
  type BrokerOptions,
  type Context,
  Discoverers,
  type Endpoint,
  type Middleware,
  type Registry,
  type Service,
  ServiceBroker,
  Strategies,
} from "moleculer";
import type { CallTracking } from "./call-tracking.ts";
import { ServiceErrorRegenerator } from "./errors.ts";
import type { Logger } from "./logger.ts";

/** A node is considered dead after this time without a heartbeat. */
const HEARTBEAT_INTERVAL_S = 1;

const HEARTBEAT_TIMEOUT_S = 3;
const CHECK_MS = 500;

/** A check that comes this late means that this process was paused: heartbeats from that time are still unread. */
const LATE_MS = 1000;

/** Checks often enough to detect a dead node within 3 to 5 s, and does not declare others dead after a pause of this process. */
class Discoverer extends Discoverers.Local {
  #checkedMs = 0;
  readonly #hasHeartbeats: boolean;

  constructor(hasHeartbeats: boolean) {
    super({ heartbeatInterval: HEARTBEAT_INTERVAL_S, heartbeatTimeout: HEARTBEAT_TIMEOUT_S });
    this.#hasHeartbeats = hasHeartbeats;
  }

  override startHeartbeatTimers(): void {
    if (!this.#hasHeartbeats) return;
    super.startHeartbeatTimers();
    clearInterval(this.checkNodesTimer);
    this.#checkedMs = performance.now();
    // After a connection loss all heartbeats are late, which says nothing about the other processes.
    for (const node of this.registry.nodes.toArray()) node.lastHeartbeatTime = Math.round(process.uptime());
    void this.beat();
    this.checkNodesTimer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** Without the CPU load of the machine, which nothing uses and which is read from several files. */
  override beat(): Promise<void> {
    return this.sendHeartbeat();
  }

  #check(): void {
    const sinceMs = performance.now() - this.#checkedMs;
    this.#checkedMs += sinceMs;
    if (sinceMs < LATE_MS) this.checkRemoteNodes();
  }
}

export interface Transport extends Pick<BrokerOptions, "transporter" | "serializer"> {
  /** Whether a node can end without the others noticing, as threads of one process can't. */
  hasHeartbeats: boolean;
}

interface BrokerSettings {
  logger: Logger;
  /** Default: a unique one. */
  nodeId?: string;
  /** Transport to other brokers; undefined in a single-process instance. */
  transport?: Transport;
  /** Timeout for calls, in milliseconds. */
  requestTimeoutMs: number;
  tracking?: CallTracking;
  /** Creates spans of calls; undefined without tracing. */
  tracing?: Middleware | undefined;
}

/** A broker that prefers services in its own process. */
export function createBroker(settings: BrokerSettings): ServiceBroker {
  const { hasHeartbeats = false, ...transport } = settings.transport ?? {};
  const options: BrokerOptions = {
    logger: false,
    nodeID: settings.nodeId ?? createNodeId(),
    requestTimeout: settings.requestTimeoutMs,
    registry: {
      preferLocal: true,
      strategy: ChannelStrategy,
      discoverer: new Discoverer(hasHeartbeats),
      stopDelay: 0,
    },
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
    ...transport,
  };
  const broker = new ServiceBroker(options);
  // Runs after Moleculer's middleware, so it sees timeout errors.
  if (settings.tracking !== undefined) broker.middlewares.add(settings.tracking.middleware);
  if (settings.tracing !== undefined) broker.middlewares.add(settings.tracing);
  broker.localBus.on("$broker.error", (error: unknown) =>
    settings.logger.error({ err: error }, "broker error"),
  );
  return broker;
}

/** Different at every start: a restarted process must not be mistaken for the one that died. */
export function createNodeId(): string {
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-");
  return `${host}-${process.pid}-${randomBytes(4).toString("hex")}`;
}

/** How long calls of other processes can still arrive after this one has announced that it stops. */
const LAST_CALLS_GRACE_MS = 200;
/** Time for running calls to finish on shutdown, including gateway threads: supervisors allow 10 s in total. */
export const STOP_MS = 8000;

/** Announces the stop to other processes, then finishes the calls in progress. */
export async function stopServices(
  broker: ServiceBroker,
  services: readonly Service[],
  tracking: CallTracking,
  deadlineMs: number,
): Promise<void> {
  const left = services.toReversed();
  // In reverse order: the gateway stops first, so the other services can still answer its calls.
  if (left[0]?.name === "gateway") await broker.destroyService(left.shift()!);
  if (broker.transit === undefined) for (const service of left) await broker.destroyService(service);
  else await stopAcceptingCalls(broker);
  while (tracking.running > 0 && performance.now() < deadlineMs) await delay(5);
  await broker.stop();
}

async function stopAcceptingCalls({ registry }: ServiceBroker): Promise<void> {
  // Prevents Moleculer from announcing the services again because of earlier changes.
  registry.getLocalNodeInfo();
  registry.regenerateLocalRawInfo(true, true);
  await registry.discoverer.sendLocalNodeInfo();
  await delay(LAST_CALLS_GRACE_MS);
}

const FNV_OFFSET = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

/** The contract's settings of an action, which the registry passes to callers. */
interface ChannelStrategyOptions {
  shardBy?: "channelId";
}

/**
 * Round robin, except that calls of an action with `shardBy` go to one node per channel, so that its writes are stored in larger
 * batches. Rendezvous hashing: when a node joins or leaves, only its share of the channels moves. (Moleculer's `Shard` also moves a
 * third of the others, and is ten times slower.)
 */
export class ChannelStrategy extends Strategies.Base {
  readonly #shardBy: "channelId" | undefined;
  readonly #hashes = new WeakMap<Endpoint, number>();
  #next = 0;

  constructor(registry: Registry, broker: ServiceBroker, options?: ChannelStrategyOptions) {
    super(registry, broker, options);
    this.#shardBy = options?.shardBy;
  }

  override select(endpoints: Endpoint[], context?: Context): Endpoint {
    const params = (context?.params ?? {}) as { channelId?: unknown };
    const channelId = this.#shardBy === undefined ? undefined : params[this.#shardBy];
    if (typeof channelId !== "string") {
      this.#next = (this.#next + 1) % endpoints.length;
      return endpoints[this.#next]!;
    }
    const ofChannel = fnv1a(channelId);
    return endpoints.reduce((best, endpoint) =>
      this.#weight(endpoint, ofChannel) > this.#weight(best, ofChannel) ? endpoint : best,
    );
  }

  #weight(endpoint: Endpoint, ofChannel: number): number {
    let ofNode = this.#hashes.get(endpoint);
    if (ofNode === undefined) this.#hashes.set(endpoint, (ofNode = fnv1a(endpoint.id)));
    return scramble(ofNode ^ ofChannel);
  }
}

/** FNV-1a, 32 bits. */
function fnv1a(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash;
}

/** The finalizer of MurmurHash3; without it, a single bit would decide between two nodes. */
function scramble(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

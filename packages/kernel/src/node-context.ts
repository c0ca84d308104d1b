import { hkdfSync } from "node:crypto";
import {
  type Actor,
  LIMITS,
  type EventName,
  type EventPayload,
  type Services,
  type Call,
  type CallMeta,
  type DomainEvents,
  type ActionName,
  type Params,
  type Result,
} from "@fanfare/contract";
import { Jobs } from "@fanfare/jobs";
import type { Redis } from "ioredis";
import type { Connection } from "mongoose";
import type { Bus } from "@fanfare/fanout";
import type { ServiceBroker } from "moleculer";
import type { SharedCounters } from "./rate-limits/counters.ts";
import { AccessCache, accessLookup } from "./access.ts";
import { createBroker } from "./broker.ts";
import { type Cluster, watchCluster, type WatchedCluster } from "./cluster.ts";
import { type Config, isGuessable } from "./config.ts";
import { type Broadcast, createBroadcast, createFanout, type Fanout } from "./publish.ts";
import { type Policy, PolicyCache } from "./instance-policy.ts";
import type { Database } from "./database.ts";
import { createLogger, type Logger } from "./logger.ts";
import { createMetrics, type Registry } from "./metrics.ts";
import { type Sealer, type Signer, createSealer, createSigner } from "./sealer.ts";
import { type AccessTokens, createAccessTokens } from "./tokens.ts";
import { type InRequest, inRequestUntraced, type Tracing } from "./tracing/tracing.ts";
import { currentScope, newDeadlineMs } from "./request-scope.ts";
import { createServices } from "./define-service.ts";
import type { ServiceFactory } from "./start-node.ts";

/** Publishes an event of the contract to all sockets in any of the rooms, except those in any of `except`. */
export type Publish = <N extends EventName>(
  rooms: string | readonly string[],
  name: N,
  payload: EventPayload<N>,
  except?: readonly string[],
) => void;

/** Context of the services hosted by one process. */
export interface NodeContext {
  config: Config;
  logger: Logger;
  metrics: Registry;
  /** Short-lived state shared by a cluster: presence, limits. null in a single-process instance. */
  redis: Redis | null;
  /** Counters shared by all gateways; null if there is only one. */
  counters: SharedCounters | null;
  /** State of the other processes of the cluster. */
  cluster: Cluster;
  /** The collections; a service accesses only its own. A process that hosts only the gateway has none. */
  database: Connection;
  /** Whether the database is the embedded one, which has its own full-text index. */
  isDatabaseEmbedded: boolean;
  /** Durable background jobs. A process without a database has none. */
  jobs: Jobs;
  tokens: AccessTokens;
  /** Derives a 32-byte key for one purpose, the same in every process. */
  keyFor(purpose: string): Buffer;
  /** Signatures are valid for one purpose, in every process. Those of `TOKEN_SECRET_PREVIOUS` stay valid unless it is too weak. */
  signerFor(purpose: string): Signer;
  /** Encrypts stored values for one purpose; also decrypts values of the previous secret. */
  sealerFor(purpose: string): Sealer;
  access: AccessCache;
  policy: Policy;
  fanout: Fanout;
  publish: Publish;
  broadcast: Broadcast;
  inRequest: InRequest;
  /** Calls without an actor. Handlers use the request's `services`, which keep the actor. */
  services: Services;
  /** Calls as a user, with their permissions, for an event that the user has caused. */
  servicesAs(actor: Actor): Services;
  callEach: CallEach;
}

interface Parts extends Pick<
  NodeContext,
  "logger" | "metrics" | "redis" | "counters" | "isDatabaseEmbedded"
> {
  broker: ServiceBroker;
  /** null in a single-process instance. */
  bus: Bus | null;
  cluster: WatchedCluster;
  secret: string;
  connection: Connection | null;
  /** null: this process has no database. */
  jobs: Jobs | null;
  tracing: Tracing | undefined;
}

const KEY_BYTES = 32;
const keyOf = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));
/** Metadata of calls by a service; they belong to the current request, if there is one. */
function metaFor(actor: Actor | null): CallMeta {
  const scope = currentScope();
  const isWaitedFor = scope?.deadline !== undefined && !scope.deadline.isAnswered;
  const deadlineMs = isWaitedFor ? scope.deadline.atMs : newDeadlineMs();
  return { actor, requestId: scope?.requestId ?? "server", deadlineMs };
}

/** Creates the context of the services of a process. */
export function createContext(config: Config, parts: Parts): NodeContext {
  const { logger, metrics, broker, bus, redis, counters, cluster, secret, connection, jobs, tracing } = parts;
  const fanout = createFanout({ bus, metrics, logger, tracing, onMissed: () => cluster.missed() });
  const previous = config.tokenSecretPrevious;
  const previousKeyFor = (purpose: string) => (previous === undefined ? null : keyOf(previous, purpose));
  const callAs =
    (actor: Actor | null): Call =>
    (name, params) =>
      broker.call(name, params, { meta: metaFor(actor) });
  const call = callAs(null);
  const access = new AccessCache(accessLookup(call));
  cluster.onMissed(() => access.clear());
  const policy = new PolicyCache(call, config.policy);
  cluster.onMissed(() => policy.invalidate());
  broker.createService({
    name: "policy-cache",
    events: {
      "policy.changed": ({ params }: { params: DomainEvents["policy.changed"] }) => policy.update(params),
    },
  });
  broker.createService({
    name: "access-cache",
    events: {
      "access.changed": ({ params }: { params: DomainEvents["access.changed"] }) =>
        access.invalidate(params.groupId, params.userId),
    },
  });
  return {
    config,
    logger,
    metrics,
    redis,
    counters,
    cluster,
    get database(): Connection {
      if (connection === null)
        throw new Error("This process has no database because it hosts only the gateway.");
      return connection;
    },
    get jobs(): Jobs {
      if (jobs === null) throw new Error("This process can't run jobs because it has no database.");
      return jobs;
    },
    isDatabaseEmbedded: parts.isDatabaseEmbedded,
    tokens: createAccessTokens(secret, previous),
    keyFor: (purpose) => keyOf(secret, purpose),
    signerFor: (purpose) =>
      createSigner(keyOf(secret, purpose), isGuessable(previous ?? "") ? null : previousKeyFor(purpose)),
    sealerFor: (purpose) => createSealer(keyOf(secret, purpose), previousKeyFor(purpose)),
    access,
    policy,
    fanout,
    publish: (rooms, name, payload, except) => fanout.emit(rooms, name, payload, except),
    broadcast: createBroadcast(broker, bus, tracing?.headersOf),
    inRequest: tracing?.inRequest ?? inRequestUntraced,
    services: createServices(call),
    servicesAs: (actor) => createServices(callAs(actor)),
    callEach: createCallEach(broker),
  };
}

/** The results received in time, and the number of processes that did not respond. */
interface EachResult<R> {
  results: R[];
  unresponsive: number;
}

/** Calls an action in every process that hosts it, without an actor. Never rejects. */
type CallEach = <N extends ActionName>(
  name: N,
  params: Params<N>,
  timeoutMs: number,
) => Promise<EachResult<Result<N>>>;

export function createCallEach(broker: ServiceBroker): CallEach {
  return async <N extends ActionName>(name: N, params: Params<N>, timeout: number) => {
    const nodeIds = broker.registry.getActionEndpoints(name)?.endpoints.map(({ id }) => id) ?? [];
    const meta: CallMeta = { actor: null, requestId: "server", deadlineMs: newDeadlineMs(timeout) };
    const settled = await Promise.allSettled(
      nodeIds.map((nodeID): Promise<Result<N>> => broker.call(name, params, { nodeID, timeout, meta })),
    );
    const results = settled.filter((one) => one.status === "fulfilled").map(({ value }) => value);
    return { results, unresponsive: settled.length - results.length };
  };
}

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

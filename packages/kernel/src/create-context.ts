import { hkdfSync } from "node:crypto";
import type { Bus } from "@fanfare/fanout";
import type { Jobs } from "@fanfare/jobs";
import type { ServiceBroker } from "moleculer";
import type { Connection } from "mongoose";
import { AccessCache, accessLookup } from "./access.ts";
import type { Actor, Call, CallMeta, DomainEvents } from "@fanfare/contract";
import { createCallEach } from "./call-each.ts";
import type { WatchedCluster } from "./cluster.ts";
import { isGuessable, type Config } from "./config.ts";
import { currentScope, newDeadlineMs } from "./request-scope.ts";
import { createBroadcast } from "./domain-events.ts";
import { createFanout } from "./fanout.ts";
import { PolicyCache } from "./instance-policy.ts";
import type { NodeContext } from "./node-context.ts";
import { createSealer, createSigner } from "./sealer.ts";
import { createServices } from "./services.ts";
import { createAccessTokens } from "./tokens.ts";
import { inRequestUntraced, type Tracing } from "./tracing/tracing.ts";

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

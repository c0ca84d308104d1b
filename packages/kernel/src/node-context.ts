import type { Actor, EventName, EventPayload, Services } from "@fanfare/contract";
import type { Jobs } from "@fanfare/jobs";
import type { Redis } from "ioredis";
import type { Connection } from "mongoose";
import type { SharedCounters } from "./rate-limits/counters.ts";
import type { AccessCache } from "./access.ts";
import type { CallEach } from "./call-each.ts";
import type { Cluster } from "./cluster.ts";
import type { Config } from "./config.ts";
import type { Broadcast } from "./domain-events.ts";
import type { Fanout } from "./fanout.ts";
import type { Policy } from "./instance-policy.ts";
import type { Logger } from "./logger.ts";
import type { Registry } from "./metrics.ts";
import type { Sealer, Signer } from "./sealer.ts";
import type { AccessTokens } from "./tokens.ts";
import type { InRequest } from "./tracing/tracing.ts";

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

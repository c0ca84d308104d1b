import type { EventName, EventPayload, Services } from "@fanfare/contract";
import type { Jobs } from "@fanfare/jobs";
import type { Redis } from "ioredis";
import type { Connection } from "mongoose";
import type { SharedCounters } from "./rate-limits/index.ts";
import type { AccessCache } from "./access.ts";
import type { CallEach } from "./call-each.ts";
import type { Cluster } from "./cluster.ts";
import type { Config } from "./config.ts";
import type { Broadcast } from "./domain-events.ts";
import type { Fanout } from "./fanout.ts";
import type { Policy } from "./instance-policy.ts";
import type { Logger } from "./logger.ts";
import type { Registry } from "./metrics.ts";
import type { Sealer } from "./sealer.ts";
import type { AccessTokens } from "./tokens.ts";
import type { InRequest } from "./tracing/tracing.ts";

/** Sends an event of the contract to everybody in any of the rooms, but not to those in any of `except`. */
export type Publish = <N extends EventName>(
  rooms: string | readonly string[],
  name: N,
  payload: EventPayload<N>,
  except?: readonly string[],
) => void;

/** What one process gives to the services that it hosts. */
export interface NodeContext {
  config: Config;
  logger: Logger;
  metrics: Registry;
  /** What the processes of a cluster share for a while: presence, limits. null: this process is the whole instance. */
  redis: Redis | null;
  /** What all gateways count together; null: there is only one. */
  counters: SharedCounters | null;
  /** What this process knows of the others. */
  cluster: Cluster;
  /** The collections; a service touches only its own. A process that hosts nothing but the gateway has none. */
  database: Connection;
  /** Whether that is the embedded database, which has a full-text index of its own. */
  isDatabaseEmbedded: boolean;
  /** Work in the background that survives a restart. A process without a database has none. */
  jobs: Jobs;
  tokens: AccessTokens;
  /** A key of 32 bytes for one purpose alone, the same in every process: what is signed for one cannot stand for another. */
  keyFor(purpose: string): Buffer;
  /** The same of the secret before, while `TOKEN_SECRET_PREVIOUS` is set to one that nobody guesses. */
  previousKeyFor(purpose: string): Buffer | null;
  /** Seals what is stored for one purpose, with such a key; opens what was sealed with the secret before too. */
  sealerFor(purpose: string): Sealer;
  access: AccessCache;
  policy: Policy;
  fanout: Fanout;
  publish: Publish;
  broadcast: Broadcast;
  inRequest: InRequest;
  /** Calls as the server itself, with no actor. A handler uses the request's `services`, which keep the actor. */
  services: Services;
  callEach: CallEach;
}

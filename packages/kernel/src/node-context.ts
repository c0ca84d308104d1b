import type { Call, EventName, EventPayload } from "@fanfare/contract";
import type { LocalFanout } from "@fanfare/fanout";
import type { Redis } from "ioredis";
import type { Connection } from "mongoose";
import type { AccessCache } from "./access.ts";
import type { Config } from "./config.ts";
import type { Broadcast } from "./domain-events.ts";
import type { Logger } from "./logger.ts";
import type { Registry } from "./metrics.ts";
import type { AccessTokens } from "./tokens.ts";

/** Sends an event of the contract to everybody in any of the rooms. */
export type Publish = <N extends EventName>(
  rooms: string | readonly string[],
  name: N,
  payload: EventPayload<N>,
) => void;

/** What one process gives to the services that it hosts. */
export interface NodeContext {
  config: Config;
  logger: Logger;
  metrics: Registry;
  /** What the processes of a cluster share for a while: presence, limits. null: this process is the whole instance. */
  redis: Redis | null;
  /** The collections; a service touches only its own. */
  database: Connection;
  tokens: AccessTokens;
  access: AccessCache;
  fanout: LocalFanout;
  publish: Publish;
  broadcast: Broadcast;
  /** Calls as the server itself, with no actor. Inside a handler use the request's `call`, which keeps the actor. */
  call: Call;
}

import type { ThreadLoad } from "../broadcast/thread-load.ts";
import type { Assignment } from "../../receivers/receiver.ts";
import type { ConnectionMemory } from "../../receivers/receiver-group.ts";
import type { DialectRef } from "../../targets/dialect.ts";
import type { EncodedLatencies } from "./latency-histogram.ts";
import type { LoadTallyMemory } from "./load-tally.ts";

/** Shared by all connections of a run, sending or only receiving. */
export interface ConnectionSetup {
  urls: readonly string[];
  /** The IP address of each. */
  addresses: readonly string[];
  dialect: DialectRef;
  runId: string;
  tally: LoadTallyMemory;
  /** Per message, by `nowMs`. */
  intendedAt: Float64Array<SharedArrayBuffer>;
  connections: ConnectionMemory;
}

/** Startup data of a receiving thread. */
export interface ReceiveSetup extends ConnectionSetup {
  /** Concurrent connection attempts. */
  window: number;
  timeoutMs: number;
  napMs: number;
}

/** Serialized `Arrivals`. */
export interface ArrivalReport {
  deliveries: EncodedLatencies;
  lastDeliveries: EncodedLatencies;
  lastAtMs: number | null;
}

export type ToReceiveThread =
  | { type: "connect"; assignments: Assignment[] }
  /** Samples the load of the thread. */
  | { type: "sample" }
  | { type: "report" }
  | { type: "close" };

export type FromReceiveThread =
  | { type: "connected" }
  | { type: "sampled"; load: ThreadLoad }
  | { type: "reported"; arrivals: ArrivalReport }
  | { type: "closed"; errors: Readonly<Record<string, number>> };

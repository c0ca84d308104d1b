import type { ThreadLoad } from "../measure/thread-load.ts";
import type { Assignment } from "../receiver/receiver.ts";
import type { ConnectionMemory } from "../receiver/receiver-group.ts";
import type { DialectRef } from "../targets/dialect.ts";
import type { EncodedLatencies } from "./latency-histogram.ts";
import type { LoadTallyMemory } from "./load-tally.ts";

/** What all connections of a run share, those that send and those that only receive. */
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

/** What a receiving thread is started with. */
export interface ReceiveSetup extends ConnectionSetup {
  /** Connections made at the same time. */
  window: number;
  timeoutMs: number;
  napMs: number;
}

/** `Arrivals` on their way. */
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

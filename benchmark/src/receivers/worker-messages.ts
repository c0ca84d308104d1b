import type { ThreadLoad } from "../kernels/broadcast/thread-load.ts";
import type { DialectRef } from "../targets/plugins.ts";
import type { DeliveryMemory } from "./delivery-tally.ts";
import type { Assignment, ReceiverKind } from "./receiver.ts";
import type { ConnectionMemory } from "./receiver-group.ts";
import type { TallyMemory } from "./tally.ts";

/** Startup data of a receiving thread. */
export interface WorkerSetup {
  kind: ReceiverKind;
  urls: readonly string[];
  addresses: readonly string[];
  dialect: DialectRef;
  runId: string;
  tally: TallyMemory | DeliveryMemory;
  connections: ConnectionMemory;
  /**
   * Receivers keep this channel exact: they reconnect when they lose their connection, and fetch what they
   * missed.
   */
  exactChannel: string | undefined;
  window: number;
  timeoutMs: number;
  /** Sleep this long after each turn of the event loop with a read; 0: never. */
  napMs: number;
}

export type ToWorker =
  | { type: "connect"; assignments: Omit<Assignment, "position">[] }
  /** While measuring, reads are batched: see `napMs`. */
  | { type: "measure"; on: boolean }
  | { type: "sample" }
  | { type: "close" };

export type FromWorker =
  | { type: "connected"; errors: Readonly<Record<string, number>> }
  | { type: "complete"; message: number }
  | { type: "sample"; load: ThreadLoad }
  | { type: "closed"; errors: Readonly<Record<string, number>> };

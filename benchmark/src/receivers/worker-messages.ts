import type { ThreadLoad } from "../kernels/broadcast/thread-load.ts";
import type { AudienceOptions } from "./audience.ts";
import type { DeliveryMemory } from "./delivery-tally.ts";
import type { Assignment } from "./receiver.ts";
import type { ConnectionMemory } from "./receiver-group.ts";
import type { Tally, TallyMemory } from "./tally.ts";

/** Startup data of a receiving thread. */
export interface WorkerSetup extends Required<
  Pick<
    AudienceOptions<Tally>,
    "urls" | "dialect" | "runId" | "kind" | "connectTimeoutMs" | "window" | "napMs"
  >
> {
  addresses: readonly string[];
  tally: TallyMemory | DeliveryMemory;
  connections: ConnectionMemory;
  exactChannel?: string;
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

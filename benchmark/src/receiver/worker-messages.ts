import type { ThreadLoad } from "../measure/thread-load.ts";
import type { DialectRef } from "../targets/dialect.ts";
import type { CompactTallyMemory } from "./compact-tally.ts";
import type { Assignment, ReceiverKind } from "./receiver.ts";
import type { ConnectionMemory } from "./receiver-group.ts";
import type { TallyMemory } from "./tally.ts";

/** What a receiving thread is started with. */
export interface WorkerSetup {
  kind: ReceiverKind;
  urls: readonly string[];
  addresses: readonly string[];
  dialect: DialectRef;
  runId: string;
  tally: TallyMemory | CompactTallyMemory;
  connections: ConnectionMemory;
  /** Receivers keep this channel exact: they come back when they lose their connection, and ask for what they missed. */
  exactChannel: string | undefined;
  window: number;
  timeoutMs: number;
  /** Sleep so long after each turn of the event loop that read something; 0: never. */
  napMs: number;
}

export type ToWorker =
  | { type: "connect"; assignments: Omit<Assignment, "position">[] }
  /** While measuring, reads are gathered: see `napMs`. */
  | { type: "measure"; on: boolean }
  | { type: "sample" }
  | { type: "close" };

export type FromWorker =
  | { type: "connected"; errors: Readonly<Record<string, number>> }
  | { type: "complete"; message: number }
  | { type: "sample"; load: ThreadLoad }
  | { type: "closed"; errors: Readonly<Record<string, number>> };

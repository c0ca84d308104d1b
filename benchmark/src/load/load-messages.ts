import type { EncodedLatencies } from "./latency-histogram.ts";
import type { LoadMemory } from "./load-memory.ts";
import type { LoadLoop } from "./load-result.ts";
import type { ArrivalReport } from "./receive-messages.ts";

/** What a thread that makes requests is started with. */
export interface LoadThreadSetup {
  /** The URL of the module with the operation, and what that is told. */
  module: string;
  operation: unknown;
  worker: number;
  workers: number;
}

/** The warm-up, or the measurement. */
export interface LoadPhase {
  loop: LoadLoop;
  isWarmUp: boolean;
  senders: number;
  memory: LoadMemory;
  /** When a request that is not answered is given up. */
  timeoutMs: number;
  /** By `nowMs`: all threads begin in the same instant. */
  startMs: number;
}

export interface ThreadReport {
  latencies: EncodedLatencies;
  lateness: EncodedLatencies;
  errors: Readonly<Record<string, number>>;
  /** By `nowMs`; null: nothing was answered. */
  lastAnswerMs: number | null;
  cpuMs: number;
  /** null: the system does not tell. */
  waitedMs: number | null;
  durationMs: number;
}

export type ToLoadThread =
  | { type: "prepare" }
  | { type: "run"; phase: LoadPhase }
  /** Nothing more is sent, and what is on its way is not waited for. */
  | { type: "stop" }
  | { type: "report" }
  | { type: "close" };

export type FromLoadThread =
  | { type: "prepared" }
  | { type: "ran"; report: ThreadReport }
  | { type: "reported"; arrivals: ArrivalReport | undefined }
  | { type: "closed"; errors: Readonly<Record<string, number>> }
  | { type: "failed"; message: string };

import type { EncodedLatencies } from "./latency-histogram.ts";
import type { LoadMemory } from "./load-memory.ts";
import type { LoadLoop } from "./load-result.ts";
import type { ArrivalReport } from "./receive-messages.ts";

/** Startup data of a thread that makes requests. */
export interface LoadThreadSetup {
  /** The URL of the operation's module, and its setup. */
  module: string;
  operation: unknown;
  worker: number;
  workers: number;
}

/** The warm-up or the measurement. */
export interface LoadPhase {
  loop: LoadLoop;
  isWarmUp: boolean;
  senders: number;
  memory: LoadMemory;
  /** When an unanswered request times out. */
  timeoutMs: number;
  /** By `nowMs`: all threads start in the same instant. */
  startMs: number;
}

export interface ThreadReport {
  latencies: EncodedLatencies;
  lateness: EncodedLatencies;
  errors: Readonly<Record<string, number>>;
  /** By `nowMs`; null: nothing was answered. */
  lastAnswerMs: number | null;
  cpuMs: number;
  /** null: not reported by the system. */
  waitedMs: number | null;
  durationMs: number;
}

export type ToLoadThread =
  | { type: "prepare" }
  | { type: "run"; phase: LoadPhase }
  /** Sends nothing more, and doesn't wait for what is in flight. */
  | { type: "stop" }
  | { type: "report" }
  | { type: "close" };

export type FromLoadThread =
  | { type: "prepared" }
  | { type: "ran"; report: ThreadReport }
  | { type: "reported"; arrivals: ArrivalReport | undefined }
  | { type: "closed"; errors: Readonly<Record<string, number>> }
  | { type: "failed"; message: string };

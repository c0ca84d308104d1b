import type { OutcomeMemory } from "./outcomes.ts";

/** Startup data of the sending thread. */
export interface SenderSetup {
  urls: readonly string[];
  addresses: readonly string[];
  path: string;
  runId: string;
  channelId: string;
  payloadBytes: number;
  outcomes: OutcomeMemory;
}

export type ToSender =
  /** The last `stalled` of the connections stop reading, and send nothing. */
  | { type: "connect"; tokens: string[]; stalled: number }
  /** Keeps this many messages in flight until the next command. */
  | { type: "closed"; inFlight: number }
  /** Sends this many per second, regardless of the responses, until the next command. */
  | { type: "open"; perSecond: number }
  | { type: "pause" }
  | { type: "report" };

export interface SenderReport {
  /** Rejections, and connections that ended, by code. */
  errors: Record<string, number>;
  /** Retryable rejections without a retry time. */
  withoutRetryAfter: number;
  /** The maximum delay of a message after its intended time. */
  latestMs: number;
  cpuMs: number;
}

export type FromSender = { type: "done" } | { type: "report"; report: SenderReport };

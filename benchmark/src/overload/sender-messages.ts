import type { OutcomeMemory } from "./outcomes.ts";

/** What the sending thread is started with. */
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
  /** Keep so many messages on their way until the next order. */
  | { type: "closed"; inFlight: number }
  /** Send so many per second, whatever is answered, until the next order. */
  | { type: "open"; perSecond: number }
  | { type: "pause" }
  | { type: "report" };

export interface SenderReport {
  /** Refusals, and connections that ended, by code. */
  errors: Record<string, number>;
  /** Refusals that may be repeated but do not say when. */
  withoutRetryAfter: number;
  /** The longest that a message was written later than intended. */
  latestMs: number;
  cpuMs: number;
}

export type FromSender = { type: "done" } | { type: "report"; report: SenderReport };

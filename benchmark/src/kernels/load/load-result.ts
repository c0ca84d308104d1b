import type { Bucket } from "../broadcast/histogram.ts";
import type { OpenPercentiles, Percentiles } from "../broadcast/percentiles.ts";
import type { RegistrationResult } from "../../targets/registration.ts";

/**
 * Closed: a fixed number of requests in flight, the next one when one is answered. Open: at a fixed rate,
 * regardless of the responses. `requests`: the total, without the warm-up.
 */
export type LoadLoop =
  | { kind: "closed"; inFlight: number; requests: number }
  | { kind: "open"; perSecond: number; durationMs: number; requests: number };

/** The participants. */
export interface LoadScene {
  /** Users, online or not. */
  users: number;
  /** Connections that send. */
  senders: number;
  /** All receiving connections, including those that send; 0: no one receives. */
  online: number;
  channels: number;
  /** The number of groups, and of members in each; null without groups. */
  groups: number | null;
  members: number | null;
}

export interface LoadCounts {
  /** Requests due in the measured time. */
  intended: number;
  /** Written to a connection. */
  sent: number;
  acknowledged: number;
  /** Answered with an error. */
  refused: number;
  /** Neither acknowledged nor rejected in time. */
  unanswered: number;
  /**
   * Due but not made: no connection, or too many unanswered requests on it. In an open loop this hides
   * latencies.
   */
  missed: number;
  /** Read back from the server; null: nothing to store, or not counted because of an interruption. */
  stored: number | null;
  /** Acknowledged but missing, or stored more than once. */
  unstored: number | null;
  storedTwice: number | null;
  /**
   * Deliveries of acknowledged messages: to each online connection of the channel, including the sender's own.
   */
  expected: number;
  received: number;
  lost: number;
  duplicates: number;
  /** Deliveries after one with a higher revision, per connection and channel. */
  outOfOrder: number;
  /** Deliveries with another text than was sent. */
  corrupted: number;
  /** Connections that ended or were told to resync. They don't fetch what they missed. */
  dropped: number;
  resyncs: number;
}

/** Times since the intended sending, not the actual one. */
export interface LatencyResult {
  /** Deliveries that never arrived count as the slowest: null if the percentile is one of them. */
  latencyMs: OpenPercentiles | null;
  /** For a chart. */
  bars: Bucket[];
  /** Can be added to others: HdrHistogram V2, compressed, base64; microseconds. */
  histogram: string;
}

export interface LoadRates {
  /** null in a closed loop. */
  offeredPerSecond: number | null;
  acknowledgedPerSecond: number | null;
  /** received ÷ expected, 1: everything; null: no receivers. */
  receivedShare: number | null;
  deliveriesPerSecond: number | null;
  /** Per second of CPU time that the server used meanwhile, on any number of cores. */
  acknowledgedPerCpuSecond: number | null;
  deliveriesPerCpuSecond: number | null;
}

export interface LoadServerResult {
  cpuSeconds: number | null;
  /** Cores that it kept busy on average. */
  cores: number | null;
  rssBeforeBytes: number | null;
  rssAfterBytes: number | null;
  rssMaxBytes: number | null;
  /** The maximum of all samples. */
  eventLoopMaxMs: number | null;
}

/** Taken about every second, over the time since the last one. */
export interface LoadSample {
  /** Since the first intended request. */
  atMs: number;
  acknowledged: number;
  received: number;
  cpuSeconds: number | null;
  rssBytes: number | null;
  eventLoopMaxMs: number | null;
}

/** The tester's own load while it measured. */
export interface LoadGeneratorResult {
  /** Of the busiest thread of each kind: its share of a core, and the share of time it waited for one. */
  senderBusy: number | null;
  senderWaiting: number | null;
  receiverBusy: number | null;
  receiverWaiting: number | null;
  /** From the intended to the actual sending. */
  sentLateMs: Percentiles | null;
  /** Cores used by unrelated programs; null if the server is remote. */
  otherProgramsCores: number | null;
  cpuSeconds: number;
  rssBytes: number;
  /** What distorts the figures through no fault of the server; empty: nothing. */
  verdicts: string[];
}

/** The measurement of every load command. */
export interface LoadMeasurement {
  target: { name: string; url: string; isThrowaway: boolean };
  scene: LoadScene;
  loop: LoadLoop;
  threads: { sending: number; receiving: number; napMs: number };
  registration: RegistrationResult | null;
  /** Before the measured requests, and in none of the figures. */
  warmUp: { requests: number; acknowledged: number; durationMs: number };
  /** From the first intended request to the last answer. */
  measuredMs: number | null;
  counts: LoadCounts;
  rates: LoadRates;
  /** Time to the answer; rejected requests are not expected. */
  ack: LatencyResult;
  /** Of each delivery. null: no receivers, also for the next. */
  delivery: LatencyResult | null;
  /** Of each message, to the last connection; the histogram has the messages that reached everyone. */
  lastDelivery: LatencyResult | null;
  samples: LoadSample[];
  server: LoadServerResult;
  generator: LoadGeneratorResult;
  errors: { phase: string; code: string; count: number }[];
}

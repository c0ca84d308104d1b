import type { Bucket } from "../measure/histogram.ts";
import type { OpenPercentiles, Percentiles } from "../measure/percentiles.ts";
import type { RegistrationResult } from "../targets/registration.ts";

/**
 * Closed: so many requests on their way at the same time, the next one when one is answered. Open: at a rate, whatever is
 * answered. `requests`: how many are meant to be made in all, the warm-up not included.
 */
export type LoadLoop =
  | { kind: "closed"; inFlight: number; requests: number }
  | { kind: "open"; perSecond: number; durationMs: number; requests: number };

/** Who takes part. */
export interface LoadScene {
  /** Users, whether they are online or not. */
  users: number;
  /** Connections that send. */
  senders: number;
  /** All connections that are to receive, those that send included; 0: nobody is to receive anything. */
  online: number;
  channels: number;
  /** Groups, and how many are in each; null where there are none. */
  groups: number | null;
  members: number | null;
}

export interface LoadCounts {
  /** Requests that were meant to be made in the measured time. */
  intended: number;
  /** Made, and written to a connection. */
  sent: number;
  acknowledged: number;
  /** Answered with an error. */
  refused: number;
  /** Neither the one nor the other before the time was up. */
  unanswered: number;
  /** Meant to be made and not made: no connection, or too many unanswered on it. In an open loop this hides latencies. */
  missed: number;
  /** Read back from the server; null: nothing to store, or not counted because of an interruption. */
  stored: number | null;
  /** Acknowledged, but not there, or there more than once. */
  unstored: number | null;
  storedTwice: number | null;
  /** Deliveries of acknowledged messages: to each connection of the channel that is online, the sender's own included. */
  expected: number;
  received: number;
  lost: number;
  duplicates: number;
  /** Deliveries after one with a higher number of the server's, per connection and channel. Older results have not counted them. */
  outOfOrder?: number;
  /** Connections that ended meanwhile, or were told to resync. They do not ask for what they missed. */
  dropped: number;
  resyncs: number;
}

/** Times since the intended sending, not since the actual one. */
export interface LatencyResult {
  /** What was awaited and never came is the slowest: null where the percentile is one of those. */
  latencyMs: OpenPercentiles | null;
  /** To be drawn. */
  bars: Bucket[];
  /** To be added up with others: HdrHistogram V2, compressed, base64; microseconds. */
  histogram: string;
}

export interface LoadRates {
  /** null in a closed loop. */
  offeredPerSecond: number | null;
  acknowledgedPerSecond: number | null;
  /** received ÷ expected, 1: everything; null: nobody was to receive anything. */
  receivedShare: number | null;
  deliveriesPerSecond: number | null;
  /** Per second of CPU time that the server used meanwhile, on whatever number of cores. */
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
  /** The worst of all looks. */
  eventLoopMaxMs: number | null;
}

/** Taken about every second; what happened between the last one and this one. */
export interface LoadSample {
  /** Since the first intended request. */
  atMs: number;
  acknowledged: number;
  received: number;
  cpuSeconds: number | null;
  rssBytes: number | null;
  eventLoopMaxMs: number | null;
}

/** The tester itself, while it measured. */
export interface LoadGeneratorResult {
  /** Of the busiest thread of each kind: its share of a core, and the share in which it waited for one. */
  senderBusy: number | null;
  senderWaiting: number | null;
  receiverBusy: number | null;
  receiverWaiting: number | null;
  /** From the intended to the actual sending. */
  sentLateMs: Percentiles | null;
  /** Cores kept busy by programs that have no part in the test; null where the server is elsewhere. */
  otherProgramsCores: number | null;
  cpuSeconds: number;
  rssBytes: number;
  /** What makes the figures worse through no fault of the server; empty: nothing. */
  verdicts: string[];
}

/** What every command that makes load comes to. */
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
  /** Until the answer; of those that were refused nothing is awaited. */
  ack: LatencyResult;
  /** Of each delivery. null: nobody was to receive anything, as for the next. */
  delivery: LatencyResult | null;
  /** Of each message, until the last connection had it; the histogram holds those that everybody got. */
  lastDelivery: LatencyResult | null;
  samples: LoadSample[];
  server: LoadServerResult;
  generator: LoadGeneratorResult;
  errors: { phase: string; code: string; count: number }[];
}

import type { CapacityMeasurement } from "../capacity/capacity-result.ts";
import type { NodesMeasurement } from "../cluster-nodes/nodes-result.ts";
import type { Bucket } from "../measure/histogram.ts";
import type { OpenPercentiles, Percentiles, Spread } from "../measure/percentiles.ts";
import type { ServerSample } from "../measure/server-samples.ts";
import type { Environment } from "../environment.ts";
import type { ReceiverKind } from "../receiver/receiver.ts";
import type { RegistrationResult } from "../targets/registration.ts";
import type { ConnectMeasurement } from "../connections/connect-result.ts";
import type { RegisterMeasurement } from "../connections/register-result.ts";
import type { LoadMeasurement } from "../load/load-result.ts";
import type { EchoMeasurement } from "../echo/echo-result.ts";
import type { HttpMeasurement } from "../http/http-result.ts";
import type { StagesMeasurement } from "../stages/stages-result.ts";
import type { OverloadMeasurement } from "../overload/overload-result.ts";
import type { PressureMeasurement } from "../pressure/pressure-result.ts";
import type { StormMeasurement } from "../storm/storm-result.ts";
import type { ServerUsage, TargetName } from "../targets/target.ts";
import type { ThresholdResult } from "./thresholds.ts";

/**
 * Changes when a field changes its meaning or is removed, but not for new fields. See schema/result.v2.json.
 */
export const RESULT_VERSION = 2;

interface ConnectionResult {
  users: number;
  durationMs: number;
  perSecond: number;
  onlineMs: Percentiles | null;
}

/**
 * `first`: the first message after connecting, with cold code paths. `cold`: the first after an idle time.
 * `warmup`: shown, but not part of the warm figures.
 */
export type RoundKind = "first" | "warmup" | "cold" | "warm";

export interface RoundResult {
  kind: RoundKind;
  /** null: not acknowledged. */
  ackMs: number | null;
  /** Time to the last member; null if it did not reach everyone. */
  p100Ms: number | null;
  latencyMs: OpenPercentiles | null;
  received: number;
  lost: number;
  duplicates: number;
  outOfOrder: number;
}

/** Several messages sent in the same instant. */
export interface BurstResult {
  messages: number;
  acknowledged: number;
  /** Until all members had all of them; null if one never arrived. */
  allMs: number | null;
  received: number;
  lost: number;
  duplicates: number;
  outOfOrder: number;
  serverCpuSeconds: number | null;
  deliveriesPerSecond: number | null;
  deliveriesPerCpuSecond: number | null;
}

export interface Counts {
  sent: number;
  acknowledged: number;
  /** Acknowledged messages that are stored as they were sent; null: not counted. */
  stored: number | null;
  /** Further copies of stored messages; null: not counted. Absent in older results. */
  storedTwice?: number | null;
  /** Acknowledged messages × members. */
  expected: number;
  received: number;
  lost: number;
  duplicates: number;
  outOfOrder: number;
  /** Messages in the channel that are not of this run. */
  foreign: number;
  /** Deliveries of this run's messages with another text than was sent. Absent in older results. */
  corrupted?: number;
  /** Connections that ended during the run; times that the server requested a resync. */
  dropped: number;
  resyncs: number;
}

export interface ServerResult {
  /** After the registration, before the first connection. */
  beforeConnect: ServerUsage | null;
  connected: ServerUsage | null;
  afterRounds: ServerUsage | null;
  afterBursts: ServerUsage | null;
  rssPerConnectionBytes: number | null;
  /** Server CPU per warm message. */
  cpuMsPerMessage: number | null;
  /** The same by kind of process, in a cluster that was started for the run. */
  cpuMsPerMessageByKind: Record<string, number> | null;
  /** What NATS delivered while warm messages were sent; null if it isn't used. */
  natsPerMessage: NatsPerMessage | null;
  /** Once a second, from the first message to the last burst. */
  samples: ServerSample[];
}

export interface NatsPerMessage {
  /** Publications to rooms, one per receiving gateway. */
  rooms: number;
  /** Requests to services and their answers. */
  calls: number;
  other: number;
  /** In total, not per message: publications to gateways without members of the audience. */
  toIdleGateways: number;
}

export interface GeneratorResult {
  /** Of the busiest receiving thread while warm messages were in flight: its share of a core, 0 to 1. */
  receiverBusy: number | null;
  /** The share of that time in which it was runnable but waiting for a core. */
  receiverWaiting: number | null;
  /** The longest event-loop delay of the sending thread while a message was in flight: the median of all. */
  senderDelayMs: number;
  /** Cores used by unrelated programs; null if the server is remote. */
  otherProgramsCores: number | null;
  cpuSeconds: number;
  rssBytes: number;
  /** What overstates the times above through no fault of the server; empty: nothing. */
  verdicts: string[];
}

/** One audience, connected once, and what it received. */
export interface BroadcastMeasurement {
  target: { name: string; url: string; isThrowaway: boolean };
  users: number;
  client: { kind: ReceiverKind; probes: number; workers: number; napMs: number };
  registration: RegistrationResult | null;
  connection: ConnectionResult | null;
  counts: Counts;
  first: RoundResult | null;
  cold: RoundResult | null;
  warm: {
    p100Ms: Spread | null;
    ackMs: Spread | null;
    latencyMs: OpenPercentiles | null;
    histogram: Bucket[];
  };
  rounds: RoundResult[];
  bursts: BurstResult[];
  server: ServerResult;
  generator: GeneratorResult;
  errors: { phase: string; code: string; count: number }[];
}

interface ResultHead {
  version: typeof RESULT_VERSION;
  startedAt: string;
  durationMs: number;
  /** true: ended by Ctrl-C, with what had been measured until then. */
  interrupted: boolean;
  options: Record<string, unknown>;
  environment: Environment;
  thresholds: ThresholdResult[];
}

export interface BroadcastResult extends ResultHead, BroadcastMeasurement {
  command: "broadcast";
}

/** Over all passes of one target: times to the last member, and medians. */
export interface TargetFigures {
  /** Of all warm messages; null if one did not reach everyone. */
  worstMs: number | null;
  medianMs: number | null;
  /** What remains without interference. */
  bestMs: number | null;
  /** The first message after connecting: the median of the passes. */
  firstMs: number | null;
  /** The first message after an idle time: the median of the passes. */
  coldMs: number | null;
  connectsPerSecond: number | null;
  rssPerConnectionBytes: number | null;
  cpuMsPerMessage: number | null;
  bursts: {
    messages: number;
    allMs: number | null;
    deliveriesPerSecond: number | null;
    deliveriesPerCpuSecond: number | null;
  }[];
  lost: number;
}

export interface LimitsResult extends ResultHead {
  command: "limits";
  users: number;
  figures: Partial<Record<TargetName, TargetFigures>>;
  /** The platform's figure divided by that of the bare server. */
  ratios: { name: string; against: TargetName; label: string; value: number }[];
  passes: BroadcastMeasurement[];
}

/** Over all passes with this many members. */
export interface SweepRow extends TargetFigures {
  users: number;
  registrationsPerSecond: number | null;
}

export interface SweepResult extends ResultHead {
  command: "sweep";
  rows: SweepRow[];
  passes: BroadcastMeasurement[];
}

/** The same audience on this many gateways, on a single instance, or on a bare server. */
export interface ClusterRow extends TargetFigures {
  label: string;
  target: string;
  /** null: not a cluster. */
  gateways: number | null;
  cpuMicrosecondsPerDelivery: number | null;
  /** Milliseconds per warm message, by kind of process; null: one process. */
  cpuMsPerMessageByKind: Record<string, number> | null;
  natsPerMessage: NatsPerMessage | null;
  worstVsSocketIo: number | null;
  medianVsSocketIo: number | null;
}

export interface ClusterResult extends ResultHead {
  command: "cluster";
  users: number;
  rows: ClusterRow[];
  passes: ({ label: string } & BroadcastMeasurement)[];
}

/** Of `bench cluster --nodes`. */
export interface ClusterNodesResult extends ResultHead, NodesMeasurement {
  command: "cluster-nodes";
}

export interface StormResult extends ResultHead, StormMeasurement {
  command: "storm";
}

export interface OverloadResult extends ResultHead, OverloadMeasurement {
  command: "overload";
}

/** Of `bench overload --reads` and `--mixed`. */
export interface PressureResult extends ResultHead, PressureMeasurement {
  command: "pressure";
}

export interface RegisterResult extends ResultHead, RegisterMeasurement {
  command: "register";
}

export interface ConnectResult extends ResultHead, ConnectMeasurement {
  command: "connect";
}

export interface LoadResult extends ResultHead, LoadMeasurement {
  command: "login" | "direct" | "group" | "chatroom";
}

export interface EchoResult extends ResultHead, EchoMeasurement {
  command: "echo";
}

export interface CapacityResult extends ResultHead, CapacityMeasurement {
  command: "capacity";
}

export interface HttpResult extends ResultHead, HttpMeasurement {
  command: "http";
}

export interface StagesResult extends ResultHead, StagesMeasurement {
  command: "stages";
}

export type Result =
  | BroadcastResult
  | LimitsResult
  | SweepResult
  | ClusterResult
  | ClusterNodesResult
  | StormResult
  | OverloadResult
  | PressureResult
  | RegisterResult
  | ConnectResult
  | CapacityResult
  | LoadResult
  | EchoResult
  | HttpResult
  | StagesResult;

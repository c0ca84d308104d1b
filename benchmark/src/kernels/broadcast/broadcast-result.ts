import type { ReceiverKind } from "../../receivers/receiver.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import type { ServerUsage } from "../../targets/target.ts";
import type { Bucket } from "./histogram.ts";
import type { OpenPercentiles, Percentiles, Spread } from "./percentiles.ts";
import type { ServerSample } from "./server-samples.ts";

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
  /** The longest time for which the tester itself stood still while the message was in flight. */
  testerDelayMs: number;
  /** That delay can have made the time longer: the message is left out of the warm figures. */
  isDisturbed: boolean;
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
  testerDelayMs: number;
  isDisturbed: boolean;
  isLeftOut: boolean;
  serverCpuSeconds: number | null;
  deliveriesPerSecond: number | null;
  deliveriesPerCpuSecond: number | null;
}

export interface Counts {
  sent: number;
  acknowledged: number;
  /** Acknowledged messages that are stored as they were sent; null: not counted. */
  stored: number | null;
  /** Further copies of stored messages; null: not counted. */
  storedTwice: number | null;
  /** Acknowledged messages × members. */
  expected: number;
  received: number;
  lost: number;
  duplicates: number;
  outOfOrder: number;
  /** Deliveries whose text differs from what was sent: not received. */
  corrupted: number;
  /** Messages in the channel that are not of this run. */
  foreign: number;
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
  /** Server CPU per warm message, and without what the idle server uses meanwhile; null: unknown. */
  cpuMsPerMessage: number | null;
  netCpuMsPerMessage: number | null;
  /** Server CPU per second with all members online, before the cold message; null: it was shorter than a second. */
  idleCpuMsPerSecond: number | null;
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
  /** The longest delay of all warm messages. */
  longestDelayMs: number;
  /** Warm messages that the tester disturbed, and whether they are left out of the figures. */
  disturbed: number;
  areLeftOut: boolean;
  /** Cores used by unrelated programs; null if the server is remote, or its CPU time unknown. */
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

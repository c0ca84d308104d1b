import type { Percentiles } from "../broadcast/percentiles.ts";
import type { ServerUsage } from "../../targets/target.ts";

/** One phase of the run: the steady time before, or one fault until all clients have recovered. */
export interface StormPhase {
  name: string;
  durationMs: number;
  /** Connections that were lost. */
  moved: number;
  /** Until the gateways answered again; null for the steady time. */
  serversBackMs: number | null;
  /** Until the last member had reconnected and caught up; null: not in time, or the steady time. */
  allBackMs: number | null;
  sent: number;
  acknowledged: number;
  /** From the intended sending to the acknowledgement, the maximum. */
  ackMaxMs: number | null;
  /**
   * From the intended sending to the last member, the maximum over messages; null: one did not reach everyone.
   */
  p100Ms: number | null;
  /**
   * The same for each second of sending, and how many of the seconds were worse than the worst of the steady
   * time.
   */
  secondsP100Ms: (number | null)[];
  disturbedSeconds: number | null;
  latencyMs: Percentiles | null;
  /** Arrivals by `channel.sync` instead of an event. */
  recovered: number;
  /** Of the busiest receiving thread: its share of a core. */
  receiverBusy: number | null;
}

export interface StormMeasurement {
  users: number;
  /** null: a single instance. */
  gateways: number | null;
  workers: number | null;
  sdkClients: number;
  messagesPerSecond: number;
  phases: StormPhase[];
  counts: {
    sent: number;
    acknowledged: number;
    failed: number;
    stored: number | null;
    storedTwice: number | null;
    /** Acknowledged but not in the database. */
    unstored: number | null;
    /** Acknowledged messages × members, and how many of these deliveries never arrived. */
    expected: number;
    lost: number;
    /** Events received twice: harmless, because clients apply them by id. */
    duplicates: number;
    recovered: number;
    moved: number;
    resyncs: number;
    /** Members that had not recovered at the end. */
    away: number;
  };
  /**
   * SDK clients whose copy of the channel has the same messages in the same order as the database; null: not
   * compared.
   */
  exactCopies: number | null;
  server: { before: ServerUsage | null; after: ServerUsage | null };
  errors: { phase: string; code: string; count: number }[];
}

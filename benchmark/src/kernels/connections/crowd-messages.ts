import type { DialectName } from "../../targets/dialect.ts";

/** Startup data of a process with a part of the crowd. */
export interface CrowdSetup {
  urls: readonly string[];
  /** The IP address of each. */
  addresses: readonly string[];
  dialect: DialectName;
  runId: string;
  credentials: readonly (string | null)[];
  /** How many messages will be sent. */
  messages: number;
  /** The instant (`nowMs`) that stored times are relative to. */
  epochMs: number;
  /** Index of the first source address, so that processes don't share any. */
  firstAddress: number;
  window: number;
  timeoutMs: number;
  napMs: number;
}

/** A process' progress, reported several times a second. */
export interface CrowdStatus {
  online: number;
  gaveUp: number;
  dropped: number;
  resyncs: number;
  /** Per message: how many members have it. */
  received: number[];
}

/** A process' final report. */
export interface CrowdReport {
  /** For each connection: milliseconds from the start of its attempt. */
  onlineMs: Float64Array;
  /** Per message: the instants (`nowMs`) of all arrivals. */
  arrivals: Float64Array[];
  duplicates: number[];
  outOfOrder: number[];
  /** Deliveries with another text than was sent. */
  corrupted: number;
  errors: Readonly<Record<string, number>>;
  rssBytes: number;
  cpuSeconds: number;
}

export type ToCrowd =
  | { type: "connect"; setup: CrowdSetup }
  /** While measuring, reads are batched: see `napMs`. */
  | { type: "measure"; on: boolean }
  | { type: "report" }
  | { type: "close" };

export type FromCrowd =
  | ({ type: "status" } & CrowdStatus)
  /** All connections are online or given up. */
  | { type: "connected" }
  | { type: "report"; report: CrowdReport }
  | { type: "closed" };

import type { DialectName } from "../targets/dialect.ts";

/** What a process with a part of the crowd is started with. */
export interface CrowdSetup {
  urls: readonly string[];
  /** The IP address of each. */
  addresses: readonly string[];
  dialect: DialectName;
  runId: string;
  credentials: readonly (string | null)[];
  /** How many messages will be sent. */
  messages: number;
  /** The instant (`nowMs`) that stored times count from. */
  epochMs: number;
  /** Number of the first source address, so that processes do not share any. */
  firstAddress: number;
  window: number;
  timeoutMs: number;
  napMs: number;
}

/** How far a process is, told several times a second. */
export interface CrowdStatus {
  online: number;
  gaveUp: number;
  dropped: number;
  resyncs: number;
  /** Per message: how many have it. */
  received: number[];
}

/** What a process has seen, told at the end. */
export interface CrowdReport {
  /** Of each that came online: milliseconds from the beginning of its attempt. */
  onlineMs: Float64Array;
  /** Per message: the instants (`nowMs`) of all arrivals. */
  arrivals: Float64Array[];
  duplicates: number[];
  outOfOrder: number[];
  foreign: number;
  errors: Readonly<Record<string, number>>;
  rssBytes: number;
  cpuSeconds: number;
}

export type ToCrowd =
  | { type: "connect"; setup: CrowdSetup }
  /** While measuring, reads are gathered: see `napMs`. */
  | { type: "measure"; on: boolean }
  | { type: "report" }
  | { type: "close" };

export type FromCrowd =
  | ({ type: "status" } & CrowdStatus)
  /** Each is online or given up. */
  | { type: "connected" }
  | { type: "report"; report: CrowdReport }
  | { type: "closed" };

import type { EncodedLatencies } from "../load/latency-histogram.ts";

/** One kind of request in a mix. */
export interface CallOperation {
  name: string;
  /** Its relative frequency. */
  weight: number;
  /**
   * `call`: an action over the socket. `connect`: a connection that is closed once it is ready. `upload`: a
   * file by HTTP.
   */
  kind: "call" | "connect" | "upload";
  /** Of a call. */
  action?: string;
  /** Used in turn; of an upload: the query and `bytes`. Messages get a unique nonce. */
  params?: readonly Record<string, unknown>[];
}

/** Startup data of a thread that makes requests. */
export interface CallSetup {
  url: string;
  address: string;
  runId: string;
  /** One connection for each. */
  tokens: readonly string[];
  /** Of all its connections. */
  localAddress: string | undefined;
  operations: readonly CallOperation[];
}

export type CallLoop =
  | { kind: "closed"; inFlight: number }
  /** Requests per second, regardless of the responses. */
  | { kind: "open"; perSecond: number };

export type ToCallThread =
  | { type: "connect" }
  /** Ends the phase before, whose open requests can still be answered. */
  | { type: "phase"; name: string; loop: CallLoop | null }
  | { type: "report" };

export interface OperationReport {
  name: string;
  intended: number;
  ok: number;
  /** Not written: no connection, or too many unanswered requests on it. */
  notSent: number;
  refusedByCode: Record<string, number>;
  unanswered: number;
  /** From the intended time to a successful answer. */
  latencies: EncodedLatencies;
}

export interface PhaseReport {
  name: string;
  operations: OperationReport[];
  /**
   * The intended time of the last request that failed or took longer than `SLOW_MS`, by `nowMs`; null: none.
   */
  lastBadMs: number | null;
}

export type FromCallThread = { type: "done" } | { type: "report"; phases: PhaseReport[]; cpuMs: number[] };

/** A delay that users hardly notice. */
export const SLOW_MS = 1000;

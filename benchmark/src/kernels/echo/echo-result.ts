import type { Percentiles } from "../broadcast/percentiles.ts";
import type { EchoServerName } from "./echo-servers.ts";

/** One server at one concurrency. */
export interface EchoRow {
  server: EchoServerName;
  concurrency: number;
  perSecond: number | null;
  /** Requests per second of the server's own CPU time. */
  perCpuSecond: number | null;
  latencyMs: Percentiles | null;
  acknowledged: number;
  /** Rejected, or not answered in time. */
  failed: number;
  /** The tester's share of a core: close to 1, the tester was the bottleneck. */
  testerBusy: number;
}

export interface EchoMeasurement {
  /** Of a response body. */
  bytes: number;
  rows: EchoRow[];
  /** Servers not measured because they aren't installed. */
  missing: EchoServerName[];
  errors: { phase: string; code: string; count: number }[];
}

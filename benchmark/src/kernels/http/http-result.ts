import type { ServerUsage } from "../../targets/target.ts";

export interface HttpMeasurement {
  target: { name: "fanfare"; url: string; isThrowaway: boolean };
  users: number;
  /** Direct channels, each between two of the users. */
  channels: number;
  concurrency: number;
  requests: number;
  payloadBytes: number;
  /** Until all connections were open, before the first request. */
  connectMs: number;
  /** From the first request to the last response. */
  measuredMs: number;
  /** The percentiles `ab` prints, of acknowledged requests. */
  percentiles: { percent: number; ms: number }[] | null;
  counts: {
    sent: number;
    acknowledged: number;
    /** Answered with an error. */
    refused: number;
    unanswered: number;
    /** Read back right after the last response; null: interrupted. */
    stored: number | null;
    /** Acknowledged but not stored at that moment: what a queue behind the response would still hold. */
    behind: number | null;
  };
  rates: {
    acknowledgedPerSecond: number | null;
    acknowledgedPerCpuSecond: number | null;
    /** Messages in the database per second, from the first request until all of them were there. */
    storedPerSecond: number | null;
  };
  /** Disk usage of a million such messages; null: a remote server, or not measured. */
  bytesPerMillion: number | null;
  server: { before: ServerUsage | null; after: ServerUsage | null };
  /** The tester's share of a core: close to 1, the tester was the bottleneck. */
  testerBusy: number;
  errors: { phase: string; code: string; count: number }[];
}

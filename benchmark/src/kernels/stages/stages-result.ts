/** One step of a message's path, timed and counted by the server itself; uploads are timed by the tester. */
export interface StageRow {
  stage: "send" | "distribute" | "notify" | "push" | "pull" | "offline push" | "upload";
  /** What is timed, and the server's metric for it. */
  what: string;
  metric: string;
  count: number;
  perSecond: number | null;
  /** Of the CPU time that all processes of the server used meanwhile, for all stages together. */
  perCpuSecond: number | null;
  meanMs: number | null;
  /** Upper bound of the p99, by the metric's buckets; null: the stage has no time. */
  p99BelowMs: number | null;
}

export interface StagesMeasurement {
  target: { name: "fanfare"; url: string; isThrowaway: boolean };
  /** Members of one group. */
  users: number;
  /** Fewer than all if it was interrupted while they connected. */
  online: number;
  senders: number;
  rows: StageRow[];
  counts: {
    sent: number;
    acknowledged: number;
    expected: number;
    received: number;
    /** Answers to pulls. */
    pulls: number;
    /** Received by the push service. */
    pushes: number;
    uploads: number;
  };
  errors: { phase: string; code: string; count: number }[];
}

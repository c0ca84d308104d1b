/** One step of a message's path, as timed and counted by the server itself. */
export interface StageRow {
  stage: "send" | "distribute" | "notify" | "push" | "pull";
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
  /** Fewer if it was interrupted while they connected; absent in older results. */
  online?: number;
  senders: number;
  rows: StageRow[];
  counts: {
    sent: number;
    acknowledged: number;
    expected: number;
    received: number;
    /** Answers to pulls. */
    pulls: number;
  };
  cpuSeconds: { sending: number | null; pulling: number | null };
  errors: { phase: string; code: string; count: number }[];
}

export const STAGES_METRICS = [
  "sendMs",
  "distributeMs",
  "notifyMs",
  "pullMs",
  "pushPerCpuSecond",
  "pullPerCpuSecond",
  "lost",
];

export function stagesMetrics({
  rows,
  counts,
}: Pick<StagesMeasurement, "rows" | "counts">): Record<string, number | null> {
  const of = (stage: StageRow["stage"]) => rows.find((row) => row.stage === stage);
  return {
    sendMs: of("send")?.meanMs ?? null,
    distributeMs: of("distribute")?.meanMs ?? null,
    notifyMs: of("notify")?.meanMs ?? null,
    pullMs: of("pull")?.meanMs ?? null,
    pushPerCpuSecond: of("push")?.perCpuSecond ?? null,
    pullPerCpuSecond: of("pull")?.perCpuSecond ?? null,
    lost: counts.expected - counts.received,
  };
}

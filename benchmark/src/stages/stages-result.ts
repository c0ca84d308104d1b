/** One step of a message's way, as the server itself has timed and counted it. */
export interface StageRow {
  stage: "send" | "distribute" | "notify" | "push" | "pull";
  /** What is timed, and which metric of the server says so. */
  what: string;
  metric: string;
  count: number;
  perSecond: number | null;
  /** Of the CPU time that all processes of the server used meanwhile, for all stages that ran at the same time. */
  perCpuSecond: number | null;
  meanMs: number | null;
  /** 99 % took at most this long, by the bounds of the metric; null: no time is known of this stage. */
  p99BelowMs: number | null;
}

export interface StagesMeasurement {
  target: { name: "fanfare"; url: string; isThrowaway: boolean };
  /** Members of one group. */
  users: number;
  /** Fewer where it was interrupted while they connected; results before this was counted do not have it. */
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

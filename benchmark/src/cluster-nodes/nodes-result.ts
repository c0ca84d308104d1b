import type { LoadMeasurement } from "../load/load-result.ts";
import { median } from "../measure/limit-figures.ts";

/** One run of the load against a new cluster with this many nodes. */
export interface NodesPass extends LoadMeasurement {
  nodes: number;
}

/** The same load on this many nodes: medians over its passes. */
export interface NodesRow {
  /** Gateways, and as many workers. */
  nodes: number;
  acknowledgedPerSecond: number | null;
  /** Of all the cluster's processes, including NATS, Redis and the database. */
  acknowledgedPerCpuSecond: number | null;
  ackP90Ms: number | null;
  /** Used by the cluster. */
  serverCores: number | null;
  /** rate(N) ÷ (N × rate(1)); null: one node was not measured. */
  efficiency: number | null;
  lost: number;
  /** Acknowledged but not stored; null: not counted because of an interruption. */
  unstored: number | null;
}

export interface NodesMeasurement {
  /** Of the one machine that ran all nodes and the tester. */
  cores: number;
  rows: NodesRow[];
  passes: NodesPass[];
}

/** In the order they were first measured. */
export function nodesRows(passes: readonly NodesPass[]): NodesRow[] {
  const one = rateOfOne(passes);
  return [...Map.groupBy(passes, ({ nodes }) => nodes)].map(([nodes, same]) => {
    const rate = median(same.map(({ rates }) => rates.acknowledgedPerSecond));
    const unstored = same.map(({ counts }) => counts.unstored);
    return {
      nodes,
      acknowledgedPerSecond: rate,
      acknowledgedPerCpuSecond: median(same.map(({ rates }) => rates.acknowledgedPerCpuSecond)),
      ackP90Ms: median(same.map(({ ack }) => ack.latencyMs?.p90)),
      serverCores: median(same.map(({ server }) => server.cores)),
      efficiency: scalingEfficiency(nodes, rate, one),
      lost: same.reduce((sum, { counts }) => sum + counts.lost, 0),
      unstored: unstored.includes(null) ? null : unstored.reduce<number>((sum, n) => sum + n!, 0),
    };
  });
}

/** Messages per second of one node; null: not measured. */
export function rateOfOne(passes: readonly NodesPass[]): number | null {
  return median(passes.filter(({ nodes }) => nodes === 1).map(({ rates }) => rates.acknowledgedPerSecond));
}

/** rate(N) ÷ (N × rate(1)); at 1, each node adds as much as the first. */
export function scalingEfficiency(nodes: number, rate: number | null, one: number | null): number | null {
  return rate === null || !one ? null : rate / (nodes * one);
}

const PER_ROW: { name: (nodes: number) => string; of: (row: NodesRow) => number | null }[] = [
  { name: (n) => `perSecondAt${n}`, of: (row) => row.acknowledgedPerSecond },
  { name: (n) => `perCpuSecondAt${n}`, of: (row) => row.acknowledgedPerCpuSecond },
  { name: (n) => `p90At${n}`, of: (row) => row.ackP90Ms },
  { name: (n) => `efficiencyAt${n}`, of: (row) => row.efficiency },
];

/** Metrics for --threshold of `bench cluster --nodes`. */
export function nodesMetricNames(nodes: readonly number[]): string[] {
  return ["lost", "unstored", ...nodes.flatMap((n) => PER_ROW.map(({ name }) => name(n)))];
}

export function nodesMetrics(rows: readonly NodesRow[]): Record<string, number | null> {
  const unstored = rows.map((row) => row.unstored);
  const metrics: Record<string, number | null> = {
    lost: rows.reduce((sum, row) => sum + row.lost, 0),
    unstored: unstored.includes(null) ? null : unstored.reduce<number>((sum, n) => sum + n!, 0),
  };
  for (const row of rows) for (const { name, of } of PER_ROW) metrics[name(row.nodes)] = of(row);
  return metrics;
}

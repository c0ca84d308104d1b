import type { ClusterResult, ClusterRow } from "../report/result.ts";
import { figuresOf, median } from "./limit-figures.ts";

const BARE = "socket.io";

type Pass = ClusterResult["passes"][number];

/**
 * One row per label, in the order of their first pass.
 * @param gatewaysOf null if it is not a cluster
 */
export function clusterRows(
  passes: readonly Pass[],
  gatewaysOf: (label: string) => number | null,
): ClusterRow[] {
  const labels = [...new Set(passes.map((pass) => pass.label))];
  const firstOfCluster = labels.find((label) => gatewaysOf(label) !== null);
  const rows = labels.map((label): ClusterRow => {
    const same = passes.filter((pass) => pass.label === label);
    const figures = figuresOf(same);
    const { users, target } = same[0]!;
    return {
      ...figures,
      label,
      target: target.name,
      // All rows of the cluster are the same processes, which keep the memory of earlier audiences.
      rssPerConnectionBytes:
        gatewaysOf(label) === null || label === firstOfCluster ? figures.rssPerConnectionBytes : null,
      gateways: gatewaysOf(label),
      cpuMicrosecondsPerDelivery:
        figures.cpuMsPerMessage === null ? null : (figures.cpuMsPerMessage * 1000) / users,
      cpuMsPerMessageByKind: cpuOf(same),
      natsPerMessage: natsOf(same),
      worstVsSocketIo: null,
      medianVsSocketIo: null,
    };
  });
  const bare = rows.find((row) => row.target === BARE);
  for (const row of rows) {
    if (row.target === BARE) continue;
    row.worstVsSocketIo = quotient(row.worstMs, bare?.worstMs);
    row.medianVsSocketIo = quotient(row.medianMs, bare?.medianMs);
  }
  return rows;
}

function quotient(ours: number | null, theirs: number | null | undefined): number | null {
  return ours !== null && theirs ? ours / theirs : null;
}

function cpuOf(passes: readonly Pass[]): ClusterRow["cpuMsPerMessageByKind"] {
  const all = passes.map((pass) => pass.server.cpuMsPerMessageByKind).filter((byKind) => byKind !== null);
  if (all.length === 0) return null;
  const kinds = Object.keys(all[0]!);
  return Object.fromEntries(kinds.map((kind) => [kind, median(all.map((byKind) => byKind[kind]))!]));
}

function natsOf(passes: readonly Pass[]): ClusterRow["natsPerMessage"] {
  const all = passes.map((pass) => pass.server.natsPerMessage).filter((nats) => nats !== null);
  if (all.length === 0) return null;
  return {
    rooms: median(all.map(({ rooms }) => rooms))!,
    calls: median(all.map(({ calls }) => calls))!,
    other: median(all.map(({ other }) => other))!,
    toIdleGateways: all.reduce((sum, { toIdleGateways }) => sum + toIdleGateways, 0),
  };
}

/** Metrics for --threshold of `bench cluster`, for each number of gateways. */
export function clusterMetricNames(gateways: readonly number[]): string[] {
  return ["lost", "toIdleGateways", ...gateways.flatMap((n) => PER_ROW.map((metric) => metric.name(n)))];
}

const PER_ROW: { name: (gateways: number) => string; of: (row: ClusterRow) => number | null }[] = [
  { name: (n) => `worstAt${n}`, of: (row) => row.worstMs },
  { name: (n) => `medianAt${n}`, of: (row) => row.medianMs },
  { name: (n) => `firstAt${n}`, of: (row) => row.firstMs },
  { name: (n) => `coldAt${n}`, of: (row) => row.coldMs },
  { name: (n) => `worstAt${n}VsSocketIo`, of: (row) => row.worstVsSocketIo },
  { name: (n) => `medianAt${n}VsSocketIo`, of: (row) => row.medianVsSocketIo },
  { name: (n) => `cpuMicrosecondsAt${n}`, of: (row) => row.cpuMicrosecondsPerDelivery },
  { name: (n) => `natsRoomsAt${n}`, of: (row) => row.natsPerMessage?.rooms ?? null },
];

export function clusterMetrics(rows: readonly ClusterRow[]): Record<string, number | null> {
  const metrics: Record<string, number | null> = {
    lost: rows.reduce((sum, row) => sum + row.lost, 0),
    toIdleGateways: rows.reduce((sum, row) => sum + (row.natsPerMessage?.toIdleGateways ?? 0), 0),
  };
  for (const row of rows) {
    if (row.gateways === null) continue;
    for (const { name, of } of PER_ROW) metrics[name(row.gateways)] = of(row);
  }
  return metrics;
}

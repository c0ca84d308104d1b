import type { BroadcastMeasurement, SweepRow } from "../report/result.ts";
import { figuresOf, median } from "./limit-figures.ts";

/** One row per number of members, in ascending order. */
export function sweepRows(passes: readonly BroadcastMeasurement[]): SweepRow[] {
  const sizes = [...new Set(passes.map((pass) => pass.users))].sort((a, b) => a - b);
  return sizes.map((users) => {
    const same = passes.filter((pass) => pass.users === users);
    return {
      users,
      ...figuresOf(same),
      registrationsPerSecond: median(same.map((pass) => pass.registration?.perSecond)),
      // Each pass has a new server.
      rssPerConnectionBytes: median(same.map((pass) => pass.server.rssPerConnectionBytes)),
    };
  });
}

const PER_SIZE: { name: (users: number) => string; of: (row: SweepRow) => number | null }[] = [
  { name: (users) => `worstAt${users}`, of: (row) => row.worstMs },
  { name: (users) => `medianAt${users}`, of: (row) => row.medianMs },
  { name: (users) => `firstAt${users}`, of: (row) => row.firstMs },
  { name: (users) => `coldAt${users}`, of: (row) => row.coldMs },
  { name: (users) => `rssPerConnectionKiBAt${users}`, of: (row) => kib(row.rssPerConnectionBytes) },
];

/** Metrics for --threshold of `bench sweep`, for each number of members. */
export function sweepMetricNames(sizes: readonly number[]): string[] {
  return ["lost", ...sizes.flatMap((users) => PER_SIZE.map(({ name }) => name(users)))];
}

export function sweepMetrics(rows: readonly SweepRow[]): Record<string, number | null> {
  const metrics: Record<string, number | null> = { lost: rows.reduce((sum, row) => sum + row.lost, 0) };
  for (const row of rows) for (const { name, of } of PER_SIZE) metrics[name(row.users)] = of(row);
  return metrics;
}

function kib(bytes: number | null): number | null {
  return bytes === null ? null : bytes / 1024;
}

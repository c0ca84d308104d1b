import type { Metric } from "../report/metric.ts";
import type { Result } from "../report/result.ts";

/** A metric that can be better or worse. */
export type Figure = Metric & { better: "lower" | "higher" };

/** One measurement under a name that allows comparing it with another file. */
export interface Observation {
  row: string;
  figures: Figure[];
}

/** Metrics with the same labels, one observation per pass. Ratios are left out: they are compared by what they divide. */
export function observationsOf({ meta, metrics }: Result): Observation[] {
  const judged = metrics.filter(
    (metric): metric is Figure => metric.better !== null && metric.group !== "ratios",
  );
  const same = Map.groupBy(judged, ({ labels }) => JSON.stringify(labels));
  return [...same.values()].map((figures) => {
    const { pass: _, ...labels } = figures[0]!.labels;
    const subject = Object.entries(labels).map(([key, value]) => `${key} ${value}`);
    return { row: [meta.command, ...subject].join(", "), figures };
  });
}

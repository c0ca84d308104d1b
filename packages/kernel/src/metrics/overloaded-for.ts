import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";
import type { Threads } from "../start-node.ts";
import { threadMetrics } from "../threads/merged-metrics.ts";

/** A gateway's own gauge: for how many seconds it has been overloaded. */
export const OVERLOADED_METRIC = "fanfare_overloaded_seconds";

/**
 * The seconds for which the process has been overloaded, 0 where it is not.
 * @param threads where its gateways run, if not in the main thread
 */
export async function overloadedForSeconds(registry: Registry, threads?: Threads): Promise<number> {
  const own = await threadMetrics(registry, OVERLOADED_METRIC);
  const ofThreads = await threads?.metrics(OVERLOADED_METRIC);
  const gauges = [...own, ...(ofThreads?.flat() ?? [])] as MetricObjectWithValues<MetricValue<string>>[];
  return Math.max(0, ...gauges.flatMap(({ values }) => values.map(({ value }) => value)));
}

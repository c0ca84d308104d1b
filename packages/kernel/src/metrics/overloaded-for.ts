import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";
import type { ThreadMetrics } from "../threads/merged-metrics.ts";

/** A gateway's own gauge: for how many seconds it has been overloaded. */
export const OVERLOADED_METRIC = "fanfare_overloaded_seconds";

/**
 * The seconds for which the process has been overloaded, 0 where it is not.
 * @param threads the metrics of its gateway threads; null: the gateway, if it hosts one, runs in the main thread
 */
export async function overloadedForSeconds(
  registry: Registry,
  threads: (() => Promise<ThreadMetrics[]>) | null,
): Promise<number> {
  const own = await registry.getSingleMetric(OVERLOADED_METRIC)?.get();
  const ofThreads = threads === null ? [] : (await threads()).flat();
  const gauges = [
    ...(own === undefined ? [] : [own]),
    ...ofThreads.filter(({ name }) => name === OVERLOADED_METRIC),
  ];
  const values = gauges.flatMap((gauge) => (gauge as MetricObjectWithValues<MetricValue<string>>).values);
  return Math.max(0, ...values.map(({ value }) => value));
}

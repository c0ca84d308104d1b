import { AggregatorRegistry, type MetricObject, type Registry } from "prom-client";

/** Everything that one thread counts, as data that can be sent to another. */
export type ThreadMetrics = MetricObject[];

/** Metrics of a thread that are its own: the rest are the process's, which the main thread tells. */
export const OF_A_THREAD = /^(fanfare_|nodejs_eventloop_lag_|nodejs_gc_)/;
/** Of several event loops the slowest is the one to know of. */
const OF_THE_SLOWEST = /^nodejs_eventloop_lag_(?!min)/;

export function allMetrics(registry: Registry): Promise<ThreadMetrics> {
  return registry.getMetricsAsJSON();
}

/**
 * What a thread has to tell the main one.
 * @param name only this metric
 */
export async function threadMetrics(registry: Registry, name: string | null): Promise<ThreadMetrics> {
  if (name === null) return allMetrics(registry);
  const metric = await registry.getSingleMetric(name)?.get();
  return metric === undefined ? [] : [metric];
}

/** The metrics of all threads as those of one process: counts are added up. */
export function mergeMetrics(ofThreads: readonly ThreadMetrics[]): Registry {
  const merged = ofThreads.map((metrics) =>
    metrics.map((metric) => (OF_THE_SLOWEST.test(metric.name) ? { ...metric, aggregator: "max" } : metric)),
  );
  return AggregatorRegistry.aggregate(merged);
}

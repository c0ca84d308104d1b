import { AggregatorRegistry, type MetricObject, type Registry } from "prom-client";

/** The metrics of one thread, as data that can be sent to another thread. */
export type ThreadMetrics = MetricObject[];

/** Per-thread metrics; the main thread reports those of the process. */
export const OF_A_THREAD = /^(fanfare_|nodejs_eventloop_lag_|nodejs_gc_)/;
/** The slowest event loop is the relevant one. */
const OF_THE_SLOWEST = /^nodejs_eventloop_lag_(?!min)/;

/**
 * The metrics that a thread sends to the main thread.
 * @param name only this metric
 */
export async function threadMetrics(registry: Registry, name: string | null): Promise<ThreadMetrics> {
  if (name === null) return registry.getMetricsAsJSON();
  const metric = await registry.getSingleMetric(name)?.get();
  return metric === undefined ? [] : [metric];
}

/** The slowest event loop, and the start time, which prom-client omits because it expects several processes. */
function isMaximum({ name, aggregator }: MetricObject): boolean {
  return OF_THE_SLOWEST.test(name) || aggregator === "omit";
}

/** Merges the metrics of all threads into those of one process, adding up counts. */
export function mergeMetrics(ofThreads: readonly ThreadMetrics[]): Registry {
  const merged = ofThreads.map((metrics) =>
    metrics.map((metric) => (isMaximum(metric) ? { ...metric, aggregator: "max" } : metric)),
  );
  return AggregatorRegistry.aggregate(merged);
}

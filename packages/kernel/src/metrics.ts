import { collectDefaultMetrics, Registry } from "prom-client";

export { Counter, Gauge, Histogram, Registry } from "prom-client";
export { readGauge } from "./metrics/read-gauge.ts";
export { RecentMax } from "./metrics/recent-max.ts";

/** The metrics of one process: Prometheus' usual ones, and what its services add. */
export function createMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return metrics;
}

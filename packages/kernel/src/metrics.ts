import { readdir, stat } from "node:fs/promises";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { OF_A_THREAD } from "./threads/merged-metrics.ts";

export { Counter, Gauge, Histogram, Registry } from "prom-client";
export { readGauge } from "./metrics/read-gauge.ts";
export { RecentMax } from "./metrics/recent-max.ts";

/** prom-client's collectors that list every handle or file: with 10,000 connections they block the event loop for milliseconds. */
const LISTS_EVERYTHING = /^(nodejs_active_|process_open_fds$)/;
const OPEN_FILES = "/proc/self/fd";

/**
 * The metrics of one process, or of one thread of it: Prometheus' usual ones, and what its services add.
 * @param isThread only what differs from thread to thread
 */
export function createMetrics(isThread = false): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  for (const { name } of metrics.getMetricsAsArray())
    if (LISTS_EVERYTHING.test(name) || (isThread && !OF_A_THREAD.test(name)))
      metrics.removeSingleMetric(name);
  if (!isThread && process.platform === "linux") countOpenFiles(metrics);
  return metrics;
}

function countOpenFiles(metrics: Registry): void {
  const openFiles: Gauge = new Gauge({
    name: "process_open_fds",
    help: "Number of open file descriptors.",
    registers: [metrics],
    collect: async () => {
      // Linux 6.2 and later tell the number as the folder's size; before, it is 0.
      const { size } = await stat(OPEN_FILES);
      openFiles.set(size > 0 ? size : (await readdir(OPEN_FILES)).length);
    },
  });
}

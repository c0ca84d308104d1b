import { expect, test } from "vitest";
import { Counter, createMetrics, Histogram, type Registry } from "../metrics.ts";
import { mergeMetrics, threadMetrics } from "./merged-metrics.ts";

function thread(sends: number, isMain = false): Registry {
  const registry = createMetrics(!isMain);
  const registers = [registry];
  new Counter({ name: "fanfare_sends_total", help: "Sends.", labelNames: ["to"], registers }).inc(
    { to: "a" },
    sends,
  );
  const seconds = new Histogram({ name: "fanfare_seconds", help: "Seconds.", buckets: [1], registers });
  seconds.observe(sends);
  return registry;
}

test("adds up counts and counts the process once", async () => {
  const main = thread(1, true);
  const parts = await Promise.all([
    main.getMetricsAsJSON(),
    threadMetrics(thread(2), null),
    threadMetrics(thread(4), null),
  ]);
  const text = await mergeMetrics(parts).metrics();
  expect(text).toContain('fanfare_sends_total{to="a"} 7\n');
  expect(text).toContain("fanfare_seconds_sum 7\n");
  expect(text).toContain('fanfare_seconds_bucket{le="1"} 1\n');
  const residentBytes = Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]);
  expect(residentBytes).toBeLessThan(process.memoryUsage.rss() * 1.5);
  expect(text).toMatch(/^process_start_time_seconds \d+$/m);
});

test("reports the slowest of several event loops", async () => {
  const lag = (value: number) => [
    {
      name: "nodejs_eventloop_lag_max_seconds",
      help: "",
      type: "gauge",
      aggregator: "average",
      values: [{ value, labels: {} }],
    },
  ];
  const text = await mergeMetrics([lag(0.5), lag(2)] as never).metrics();
  expect(text).toContain("nodejs_eventloop_lag_max_seconds 2\n");
});

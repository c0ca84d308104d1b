import { readdir } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, test, vi } from "vitest";
import { Registry } from "prom-client";
import {
  Counter,
  createMetrics,
  Histogram,
  mergeMetrics,
  RecentMax,
  threadMetrics,
  type ThreadMetrics,
} from "./metrics.ts";

test("collects no metric that enumerates all connections, and counts open files", async () => {
  let accepted = 0;
  const server = createServer(() => (accepted += 1)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = Array.from({ length: 200 }, () =>
    connect((server.address() as AddressInfo).port, "127.0.0.1"),
  );
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  await vi.waitFor(() => expect(accepted).toBe(sockets.length));
  try {
    const metrics = createMetrics();
    const text = await metrics.metrics();
    expect(text).not.toMatch(/^nodejs_active_/m);
    const [, open] = /^process_open_fds (\d+)$/m.exec(text)!;
    const listed = (await readdir("/proc/self/fd")).length;
    expect(Number(open)).toBeGreaterThan(200);
    expect(Math.abs(Number(open) - listed)).toBeLessThan(50);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

test("a thread has no process metrics, which would be counted once per thread", async () => {
  const names = createMetrics(true)
    .getMetricsAsArray()
    .map(({ name }) => name);
  expect(names).toContain("nodejs_eventloop_lag_seconds");
  expect(names).not.toContain("process_open_fds");
  expect(names.filter((name) => name.startsWith("process_"))).toEqual([]);
});

/** A thread with a small heap, a large part of which is in use. */
const FULL_THREAD = `
  const { parentPort } = require("node:worker_threads");
  import(${JSON.stringify(import.meta.resolve("./metrics.ts"))}).then(async ({ createMetrics }) => {
    globalThis.kept = new Array(5_000_000).fill(0.5);
    parentPort.postMessage(await createMetrics(true).getMetricsAsJSON());
  });`;

test("reports the heap of the thread that is closest to its limit", async () => {
  const resourceLimits = { maxOldGenerationSizeMb: 80, maxYoungGenerationSizeMb: 12 };
  const worker = new Worker(FULL_THREAD, { eval: true, resourceLimits });
  try {
    const [ofThread] = (await once(worker, "message")) as [ThreadMetrics];
    const text = await mergeMetrics([await createMetrics().getMetricsAsJSON(), ofThread]).metrics();
    const ratio = Number(/^fanfare_heap_used_ratio (\S+)$/m.exec(text)?.[1]);
    expect(ratio).toBeGreaterThan(0.3);
    expect(ratio).toBeLessThan(1);
  } finally {
    await worker.terminate();
  }
});

test("reports the longest iteration of the event loop since the last scrape, however short", async () => {
  const metrics = createMetrics();
  const longest = async (): Promise<number> =>
    Number(/^fanfare_event_loop_max_seconds (\S+)$/m.exec(await metrics.metrics())![1]);
  const afterBlock = async (): Promise<number> => {
    await nextTurn();
    await longest();
    const endMs = performance.now() + 15;
    while (performance.now() < endMs);
    await nextTurn();
    await nextTurn();
    return longest();
  };
  // The loop counts from its own reading of the clock, which is some milliseconds later on a busy machine.
  await expect.poll(afterBlock).toBeGreaterThanOrEqual(0.01);
});

test("samples how late timers run once a thread is busy", async () => {
  const metrics = createMetrics();
  const lateness = async (): Promise<number> =>
    Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(await metrics.metrics())![1]);
  const block = async (): Promise<void> => {
    for (let i = 0; i < 3; i += 1) {
      const endMs = performance.now() + 150;
      while (performance.now() < endMs);
      await nextTurn();
    }
  };
  await block();
  expect(await lateness()).toBe(0);
  await block();
  expect(await lateness()).toBeGreaterThanOrEqual(0.05);
});

function start(atMs: number) {
  const registry = new Registry();
  const clock = { ms: atMs };
  const max = new RecentMax({ name: "fanfare_x_seconds", help: "X.", registry, nowMs: () => clock.ms });
  return { clock, max, text: () => registry.metrics() };
}

test("reports the maximum for a minute, independent of scrapes", async () => {
  const { clock, max, text } = start(123_456);
  expect(max.value).toBe(0);
  max.observe(3);
  max.observe(7);
  clock.ms += 30_000;
  max.observe(2);
  expect(await text()).toContain("fanfare_x_seconds 7");
  clock.ms += 29_000;
  expect(await text()).toContain("fanfare_x_seconds 7");
  clock.ms += 7000;
  expect(max.value).toBe(2);
  clock.ms += 30_000;
  expect(max.value).toBe(0);
});

test("take returns the maximum since the last call and keeps the minute", () => {
  const { max } = start(0);
  max.observe(9);
  max.observe(3);
  expect(max.take()).toBe(9);
  max.observe(2);
  expect(max.take()).toBe(2);
  expect(max.take()).toBe(0);
  expect(max.value).toBe(9);
});

test("drops old values after a pause", () => {
  const { clock, max } = start(0);
  max.observe(9);
  clock.ms += 86_400_000;
  max.observe(1);
  expect(max.value).toBe(1);
});

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

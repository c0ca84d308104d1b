import { readdir } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { Registry } from "prom-client";
import { createMetrics, RecentMax } from "./metrics.ts";

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

import { readdir } from "node:fs/promises";
import { createServer, connect, type AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

test("nothing that is scraped lists every connection, and open files are counted", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = Array.from({ length: 200 }, () =>
    connect((server.address() as AddressInfo).port, "127.0.0.1"),
  );
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
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

test("a thread has only metrics of its own: those of the process would be counted once for each thread", async () => {
  const names = createMetrics(true)
    .getMetricsAsArray()
    .map(({ name }) => name);
  expect(names).toContain("nodejs_eventloop_lag_seconds");
  expect(names).not.toContain("process_open_fds");
  expect(names.filter((name) => name.startsWith("process_"))).toEqual([]);
});

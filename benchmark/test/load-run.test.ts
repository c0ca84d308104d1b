import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { ErrorTable } from "../src/kernels/broadcast/error-table.ts";
import { httpThreads } from "../src/kernels/requests/http-thread.ts";
import { measureLoad } from "../src/kernels/requests/load-run.ts";
import type { LoadContext } from "../src/kernels/requests/load.ts";
import { allocateRequests } from "../src/kernels/requests/request-memory.ts";
import { Progress } from "../src/report/progress.ts";

test("requests that can't be made after the server has ended are missed, and its connections dropped", async () => {
  let answers = 0;
  const server = createServer((_, response) => {
    if (++answers < 10) return void response.setHeader("content-length", 0).end();
    server.close();
    server.closeAllConnections();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  const memory = allocateRequests(100);
  const plan = {
    loop: { kind: "closed", inFlight: 2, requests: 100 },
    warmUp: 0,
    timeoutMs: 60_000,
    payloadBytes: 0,
    connecting: 1,
    napMs: 0,
    sendingThreads: 1,
    receivingThreads: 0,
  } as const;
  const target = {
    name: "http",
    urls: [url],
    isThrowaway: false,
    usage: () => Promise.resolve(null),
    cpuSeconds: () => Promise.resolve(null),
  } as unknown as LoadContext["target"];
  const context = { target, plan, progress: new Progress(false), errors: new ErrorTable(), signal };
  const calls = [{ method: "GET" as const, path: "/" }];
  const threads = await httpThreads({ url, connections: 2, calls }, signal);
  const { figures, verdicts } = await measureLoad(context, {
    name: "get",
    threads,
    memory,
    scene: { users: 2, senders: 2 },
    registration: { users: 2, perSecond: 2, userMs: null },
    connect: () => threads.prepare(),
  });
  const { intended, sent, missed, acknowledged, dropped } = figures.counts;
  expect({ intended, acknowledged }).toEqual({ intended: 100, acknowledged: 9 });
  expect(sent + missed).toBe(100);
  expect(missed).toBeGreaterThan(80);
  expect(dropped).toBe(2);
  // A percentile among them is a dash.
  expect(figures.ack!.p50).toBeNull();
  expect(verdicts[0]).toMatch(`${missed} of 100 due requests were not made`);
});

// Measures the cost of a call and its publication in one process without tracing, with 1 % of requests traced, and with all.
// The three variants alternate; the collector is a separate process.
//   node packages/kernel/bench/tracing.ts
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createBroker } from "../src/broker.ts";
import { defineService } from "../src/define-service.ts";
import { createFanout } from "../src/publish.ts";
import { createLogger } from "../src/logger.ts";
import { createMetrics } from "../src/metrics.ts";
import type { NodeContext } from "../src/node-context.ts";
import { inRequestUntraced, openTracing } from "../src/tracing/tracing.ts";

const ROUNDS = 25;
const CALLS = 10_000;
const IN_FLIGHT = 50;
const id = "a".repeat(24);
const actor = { userId: id, sessionId: id, kind: "member" } as const;
const message = { channelId: id, content: "Hello everybody, how are you today?", nonce: "0123456789abcdef" };
const access = { permissions: 0xffff, groupId: null, mutedUntilMs: 0, rooms: [] };
const logger = createLogger("error");
const bus = {
  maxMessageBytes: 1e6,
  publish: () => {},
  subscribe: () => () => {},
  flush: async () => {},
  onInterrupted: () => () => {},
};

const COLLECTOR = `require("node:http").createServer((request, response) => {
  request.resume().on("end", () => response.end("{}"));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;
const collector = spawn(process.execPath, ["-e", COLLECTOR], { stdio: ["ignore", "pipe", "inherit"] });
const [port] = (await once(collector.stdout, "data")) as [Buffer];

async function variant(name: string, sampleRatio: number | null) {
  const metrics = createMetrics();
  const endpoint = `http://127.0.0.1:${String(port).trim()}`;
  const config =
    sampleRatio === null ? undefined : { endpoint, headers: {}, sampleRatio, serviceName: "bench" };
  const tracing = await openTracing(config, { logger, metrics, nodeId: name, bus: "nats" });
  const fanout = createFanout({ bus, metrics, logger, tracing, onMissed: () => {} });
  const node = { logger, access: { peek: () => access } } as unknown as NodeContext;
  const broker = createBroker({ logger, requestTimeoutMs: 10_000, tracing: tracing?.middleware });
  const send = ({ params }: { params: object }) => {
    fanout.emit(`channel:${id}`, "message.created", { channelId: id, messages: [params] });
    return { message: params } as never;
  };
  broker.createService(defineService(node, { name: "message", actions: { "message.send": send } }));
  await broker.start();
  const inRequest = tracing?.inRequest ?? inRequestUntraced;
  let calls = 0;
  const call = (): Promise<unknown> => {
    calls += 1;
    const requestId = `bench.${calls}`;
    const request = {
      requestId,
      action: "message.send",
      transport: "socket",
      startedAtMs: performance.now(),
    } as const;
    return inRequest(request, () => broker.call("message.send", message, { meta: { actor, requestId } }));
  };
  return { name, call, figures: [] as number[], stop: () => Promise.all([broker.stop(), tracing?.stop()]) };
}

const variants = [await variant("off", null), await variant("1 in 100", 0.01), await variant("every one", 1)];
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { call, figures } of variants) {
    const cpu = process.cpuUsage();
    for (let done = 0; done < CALLS; done += IN_FLIGHT)
      await Promise.all(Array.from({ length: IN_FLIGHT }, call));
    const { user, system } = process.cpuUsage(cpu);
    figures.push((user + system) / CALLS);
  }
}
for (const { name, figures, stop } of variants) {
  const sorted = figures.toSorted((a, b) => a - b);
  const [least, median] = [sorted[0]!, sorted[ROUNDS >> 1]!];
  console.log(`${name.padEnd(10)} ${least.toFixed(2)} µs at least, ${median.toFixed(2)} µs in the median`);
  await stop();
}
collector.kill();

import {
  createBroker,
  createRateLimits,
  defineService,
  inRequestUntraced,
  type Actor,
  type CallMeta,
  type NodeContext,
} from "@fanfare/kernel";
import { Calls } from "../src/calls.ts";
import { createGatewayMetrics } from "../src/metrics.ts";

// Measures the cost of a call between the socket and the service's handler, in this process:
//   node services/gateway/bench/calls.ts

const CALLS = 300_000;
const ROUNDS = 5;
const IN_FLIGHT = 100;
const id = "a".repeat(24);
const actor: Actor = { userId: id, sessionId: id, kind: "member" };
const message = { channelId: id, content: "Hello everybody, how are you today?", nonce: "0123456789abcdef" };

// Replaces the metrics, so that only the path of the call is measured.
const noMetrics = { registerMetric: () => {} };
const logger = { error: console.error } as unknown as NodeContext["logger"];
const access = { permissions: 0xffff, groupId: null, mutedUntilMs: 0, rooms: [] };
const node = { logger, access: { peek: () => access } } as unknown as NodeContext;

const broker = createBroker({ logger, requestTimeoutMs: 10_000 });
const send = ({ params }: { params: object }) => ({ message: params }) as never;
broker.createService(defineService(node, { name: "message", actions: { "message.send": send } }));
await broker.start();
const calls = new Calls({
  call: (name, params, options) => broker.call(name, params, options),
  limits: createRateLimits({ counters: null, logger, factor: 1e9 }),
  metrics: createGatewayMetrics(noMetrics as unknown as NodeContext["metrics"], () => 0),
  logger,
  inRequest: inRequestUntraced,
  paused: () => null,
  assertSecondFactor: () => undefined,
});
const meta: CallMeta = { actor, requestId: "bench" };

async function measure(name: string, call: () => Promise<unknown>): Promise<void> {
  const figures: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const cpu = process.cpuUsage();
    for (let done = 0; done < CALLS; done += IN_FLIGHT)
      await Promise.all(Array.from({ length: IN_FLIGHT }, call));
    const { user, system } = process.cpuUsage(cpu);
    figures.push((user + system) / CALLS);
  }
  console.log(`${name.padEnd(44)} ${Math.min(...figures).toFixed(2)} µs of CPU per call`);
}

await measure("nothing", async () => message);
await measure("broker and service", () => broker.call("message.send", message, { meta }));
await measure("gateway, broker and service", () =>
  calls.answer("socket", "message.send", message, { actor, address: "127.0.0.1", requestId: "bench" }),
);
await broker.stop();

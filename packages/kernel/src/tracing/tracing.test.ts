import { expect, test } from "vitest";
import { createBroker } from "../broker.ts";
import { createFanout } from "../publish.ts";
import { createLogger } from "../logger.ts";
import { createMetrics } from "../metrics.ts";
import { currentScope } from "../request-scope.ts";
import { inRequestUntraced, openTracing } from "./tracing.ts";

const logger = createLogger("silent");
const parts = { logger, metrics: createMetrics(), nodeId: "n", bus: "none" } as const;
const collector = { endpoint: "http://127.0.0.1:9", headers: {}, sampleRatio: 1, serviceName: "s" };

const middlewares = async (config: Parameters<typeof openTracing>[0]): Promise<number> => {
  const tracing = await openTracing(config, parts);
  return createBroker({ logger, requestTimeoutMs: 1000, tracing: tracing?.middleware }).middlewares.count();
};

test("without a collector there is no tracing middleware and the fan-out is not wrapped", async () => {
  expect(await openTracing(undefined, parts)).toBeUndefined();
  expect(await middlewares(collector)).toBe((await middlewares(undefined)) + 1);
  const fanout = createFanout({ bus: null, metrics: createMetrics(), logger, onMissed: () => {} });
  expect(Object.hasOwn(fanout, "emit")).toBe(false);
});

test("a request that is not traced has an id and no span", async () => {
  const request = {
    requestId: "r.1",
    action: "user.me",
    transport: "http",
    startedAtMs: performance.now(),
  } as const;
  const scope = await inRequestUntraced(request, async () => currentScope());
  expect(scope).toMatchObject({ requestId: "r.1", action: "user.me" });
  expect(scope?.span).toBeUndefined();
  expect(currentScope()).toBeUndefined();
});

test("work that continues a minute after its request no longer belongs to it", async () => {
  const startedAtMs = performance.now() - 61_000;
  const request = { requestId: "r.1", action: "user.me", transport: "http", startedAtMs } as const;
  expect(await inRequestUntraced(request, async () => currentScope())).toBeUndefined();
});

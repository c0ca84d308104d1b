import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { createBroker } from "./broker.ts";
import { CallTracking } from "./call-tracking.ts";
import { serviceError } from "./errors.ts";
import { createLogger } from "./logger.ts";
import { mergeMetrics } from "./metrics.ts";

const registry = new Registry();
const logger = createLogger("silent");
const broker = createBroker({
  logger,
  requestTimeoutMs: 1000,
  tracking: new CallTracking({ metrics: registry, logger }),
});
let finish = (): void => {};
broker.createService({
  name: "things",
  settings: { $noServiceNamePrefix: true },
  actions: {
    "thing.get": async () => "a thing",
    "thing.refuse": async () => {
      throw serviceError("FORBIDDEN");
    },
    "thing.break": async () => {
      throw new TypeError("broken");
    },
    "thing.wait": () => new Promise<void>((resolve) => (finish = resolve)),
  },
});
afterEach(() => broker.stop());

test("counts calls by action, outcome and duration, and calls in progress", async () => {
  await broker.start();
  expect(await registry.metrics()).not.toContain("thing.get");
  await broker.call("thing.get");
  await broker.call("thing.get");
  await expect(broker.call("thing.refuse")).rejects.toThrow("You don't have permission");
  await expect(broker.call("thing.break")).rejects.toThrow("broken");
  const waiting = broker.call("thing.wait");
  const lines = new Set((await registry.metrics()).split("\n"));
  for (const line of [
    "# TYPE fanfare_action_duration_seconds histogram",
    'fanfare_calls_total{action="thing.get",where="local"} 2',
    'fanfare_action_duration_seconds_bucket{action="thing.get",le="10"} 2',
    'fanfare_action_duration_seconds_bucket{action="thing.get",le="+Inf"} 2',
    'fanfare_action_duration_seconds_count{action="thing.get"} 2',
    'fanfare_action_errors_total{action="thing.refuse",code="FORBIDDEN"} 1',
    'fanfare_action_errors_total{action="thing.break",code="INTERNAL"} 1',
    'fanfare_actions_active{action="thing.get"} 0',
    'fanfare_actions_active{action="thing.wait"} 1',
  ])
    expect(lines).toContain(line);
  finish();
  await waiting;
  expect(await registry.metrics()).toContain('fanfare_actions_active{action="thing.wait"} 0');
  const one = await registry.getMetricsAsJSON();
  const merged = await mergeMetrics([one, one]).metrics();
  expect(merged).toContain('fanfare_action_duration_seconds_count{action="thing.get"} 4');
  expect(merged).toContain('fanfare_action_duration_seconds_bucket{action="thing.get",le="+Inf"} 4');
});

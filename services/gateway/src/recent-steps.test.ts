import { LIMITS } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import { afterEach, expect, test, vi } from "vitest";
import { createGatewayMetrics } from "./metrics.ts";
import { RecentSteps, watchSteps } from "./recent-steps.ts";

const STEP_MS = LIMITS.metricsStepMs;
const START_MS = 1_795_000_000_000;
const reading = { connections: 3, eventLoopDelayMs: 1, memoryBytes: 100 };
const registry = { registerMetric: () => {} } as unknown as NodeContext["metrics"];
const NOTHING = { messages: 0, deliveries: 0, fanout: [], fanoutMaxMs: 0 };

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("a step contains the difference of the metrics since the previous one", async () => {
  const metrics = createGatewayMetrics(registry, () => 0);
  const published = (publications: number, sockets: number, durationMs: number): void =>
    metrics.published({ room: "r", publications, sockets, bytes: 1, durationMs, traces: [] });
  const sent = metrics.ofAction("message.send", "socket");
  sent.answered("ok", 1);
  published(1, 5, 3);

  const recent = new RecentSteps(await metrics.totals(), START_MS);
  sent.answered("ok", 1);
  metrics.ofAction("webhook.execute", "http").answered("ok", 1);
  sent.answered("OVERLOADED", 1);
  metrics.ofAction("message.list", "socket").answered("ok", 1);
  published(1, 10, 4);
  published(1, 10, 8);
  published(1, 10, 20_000);
  published(5, 0, 30_000);
  expect(recent.endStep(START_MS + STEP_MS, await metrics.totals(), reading)).toBe(STEP_MS);
  recent.endStep(START_MS + 2 * STEP_MS, await metrics.totals(), reading);
  const [first, second] = recent.steps;
  expect(first).toMatchObject({
    ...reading,
    endedAtMs: START_MS + STEP_MS,
    durationMs: STEP_MS,
    messages: 2,
    deliveries: 30,
    fanoutMaxMs: 20_000,
  });
  expect(first!.fanout.filter(([, count]) => count > 0)).toEqual([
    [5, 1],
    [10, 1],
    [20_000, 1],
  ]);
  expect(second).toEqual({
    ...reading,
    ...NOTHING,
    endedAtMs: START_MS + 2 * STEP_MS,
    durationMs: STEP_MS,
  });
});

test("a late step is longer, and the next one ends on schedule again", () => {
  const recent = new RecentSteps(NOTHING, START_MS);
  expect(recent.endStep(START_MS + STEP_MS + 300, NOTHING, reading)).toBe(STEP_MS - 300);
  expect(recent.steps[0]).toMatchObject({ endedAtMs: START_MS + STEP_MS, durationMs: STEP_MS + 300 });
});

test("stores a limited number of steps", () => {
  const recent = new RecentSteps(NOTHING, START_MS);
  for (let step = 1; step <= LIMITS.metricsMaxSteps + 5; step += 1)
    recent.endStep(START_MS + step * STEP_MS, NOTHING, reading);
  expect(recent.steps).toHaveLength(LIMITS.metricsMaxSteps);
  expect(recent.steps[0]?.endedAtMs).toBe(START_MS + 6 * STEP_MS);
});

test("there are never two steps of the same time when the clock is set back", () => {
  const recent = new RecentSteps(NOTHING, START_MS);
  for (const step of [1, 2, 3, 2]) recent.endStep(START_MS + step * STEP_MS, NOTHING, reading);
  expect(recent.steps.map(({ endedAtMs }) => (endedAtMs - START_MS) / STEP_MS)).toEqual([1, 2]);
});

test("steps continue with the last memory reading while no file can be opened", async () => {
  vi.useFakeTimers();
  const { recent, stop } = await watchSteps(
    createGatewayMetrics(registry, () => 0),
    () => 3,
  );
  await vi.advanceTimersByTimeAsync(STEP_MS);
  const before = recent.steps.at(-1)!.memoryBytes;
  expect(before).toBeGreaterThan(0);

  const rss = vi.spyOn(process.memoryUsage, "rss").mockImplementation(() => {
    throw Object.assign(new Error("too many open files, uv_resident_set_memory"), { code: "EMFILE" });
  });
  await vi.advanceTimersByTimeAsync(2 * STEP_MS);
  expect(rss).toHaveBeenCalledTimes(2);
  expect(recent.steps.map(({ memoryBytes }) => memoryBytes).slice(-2)).toEqual([before, before]);
  stop();
});

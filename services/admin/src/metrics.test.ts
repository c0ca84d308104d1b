import type { GatewayStep } from "@fanfare/contract";
import { expect, test } from "vitest";
import { mergeSteps } from "./metrics.ts";

const AT_MS = Date.UTC(2026, 10, 21);

function step(about: Partial<GatewayStep> = {}): GatewayStep {
  return {
    endedAtMs: AT_MS,
    durationMs: 5000,
    connections: 0,
    messages: 0,
    deliveries: 0,
    fanout: [],
    fanoutMaxMs: 0,
    eventLoopDelayMs: 0,
    memoryBytes: 0,
    ...about,
  };
}

test("adds up the counts of gateways by time", () => {
  const one = step({ connections: 2, messages: 10, deliveries: 100, eventLoopDelayMs: 3 });
  const other = step({
    connections: 3,
    messages: 10,
    deliveries: 50,
    durationMs: 10_000,
    eventLoopDelayMs: 7,
  });
  const [merged] = mergeSteps([
    { process: "a", steps: [one] },
    { process: "b", steps: [other] },
  ]);
  expect(merged).toMatchObject({
    endedAt: new Date(AT_MS).toISOString(),
    connections: 5,
    messagesPerSecond: 3,
    deliveriesPerSecond: 25,
    fanoutMs: null,
    eventLoopDelayMs: 7,
  });
});

test("counts the memory of threads of one process once", () => {
  const gateways = ["a", "a", "b"].map((process) => ({ process, steps: [step({ memoryBytes: 100 })] }));
  expect(mergeSteps(gateways)[0]?.memoryBytes).toBe(200);
});

test("the longest fan-out is exact, and percentiles are interpolated up to it", () => {
  const fast = step({ fanout: [[2, 98]], fanoutMaxMs: 0.9 });
  const slow = step({
    fanout: [
      [2, 0],
      [6, 1],
      [64, 1],
    ],
    fanoutMaxMs: 60,
  });
  const gateways = [
    { process: "a", steps: [slow] },
    { process: "b", steps: [fast] },
  ];
  expect(mergeSteps(gateways)[0]?.fanoutMs).toEqual({ p50: expect.closeTo(100 / 98), p99: 6, p100: 60 });
  expect(mergeSteps([{ process: "b", steps: [fast] }])[0]?.fanoutMs).toEqual({
    p50: 0.9,
    p99: 0.9,
    p100: 0.9,
  });
});

test("steps are in order, also when some of a gateway are missing", () => {
  const at = (number: number) => step({ endedAtMs: AT_MS + number * 5000, connections: 1 });
  const merged = mergeSteps([
    { process: "a", steps: [at(2), at(3)] },
    { process: "b", steps: [at(1), at(3)] },
  ]);
  expect(merged.map(({ connections }) => connections)).toEqual([1, 1, 2]);
  expect(merged.map(({ endedAt }) => endedAt)).toEqual(merged.map(({ endedAt }) => endedAt).toSorted());
});

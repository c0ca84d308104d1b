import { LIMITS } from "@fanfare/contract";
import { expect, test } from "vitest";
import { RecentSteps } from "./recent-steps.ts";

const STEP_MS = LIMITS.metricsStepMs;
const START_MS = 1_795_000_000_000;
const reading = { connections: 3, eventLoopDelayMs: 1, memoryBytes: 100 };

test("a step has what was counted since the one before", () => {
  const recent = new RecentSteps(() => reading, START_MS);
  recent.messageAccepted();
  recent.messageAccepted();
  recent.published(2, 10, 4);
  recent.published(1, 10, 8);
  recent.published(5, 0, 1000);
  expect(recent.endStep(START_MS + STEP_MS)).toBe(STEP_MS);
  recent.endStep(START_MS + 2 * STEP_MS);
  expect(recent.steps).toEqual([
    {
      ...reading,
      endedAtMs: START_MS + STEP_MS,
      durationMs: STEP_MS,
      messages: 2,
      deliveries: 30,
      fanout: [
        [4, 2],
        [8, 1],
      ],
      fanoutMaxMs: 8,
    },
    {
      ...reading,
      endedAtMs: START_MS + 2 * STEP_MS,
      durationMs: STEP_MS,
      messages: 0,
      deliveries: 0,
      fanout: [],
      fanoutMaxMs: 0,
    },
  ]);
});

test("a step that ends late is longer, and the next one ends at its time again", () => {
  const recent = new RecentSteps(() => reading, START_MS);
  expect(recent.endStep(START_MS + STEP_MS + 300)).toBe(STEP_MS - 300);
  expect(recent.steps[0]).toMatchObject({ endedAtMs: START_MS + STEP_MS, durationMs: STEP_MS + 300 });
});

test("only so many steps are kept", () => {
  const recent = new RecentSteps(() => reading, START_MS);
  for (let step = 1; step <= LIMITS.metricsMaxSteps + 5; step += 1) recent.endStep(START_MS + step * STEP_MS);
  expect(recent.steps).toHaveLength(LIMITS.metricsMaxSteps);
  expect(recent.steps[0]?.endedAtMs).toBe(START_MS + 6 * STEP_MS);
});

test("when the clock is put back there are never two steps of one time", () => {
  const recent = new RecentSteps(() => reading, START_MS);
  for (const step of [1, 2, 3, 2]) recent.endStep(START_MS + step * STEP_MS);
  expect(recent.steps.map(({ endedAtMs }) => (endedAtMs - START_MS) / STEP_MS)).toEqual([1, 2]);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogger } from "./logger.ts";
import { repeat } from "./repeat.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(task: () => Promise<void>) {
  const logger = createLogger("silent");
  const warn = vi.spyOn(logger, "warn");
  return { stop: repeat(task, { everyMs: 100, what: "the task", logger }), warn };
}

test("the next run and the end wait for a run in progress", async () => {
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { stop } = setUp(() => {
    runs += 1;
    return promise;
  });
  await vi.advanceTimersByTimeAsync(350);
  expect(runs).toBe(1);
  let isOver = false;
  const over = stop().then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(350);
  expect(isOver).toBe(false);
  resolve();
  await over;
  await vi.advanceTimersByTimeAsync(350);
  expect(runs).toBe(1);
});

test("logs the first of consecutive failures", async () => {
  let fails = true;
  const { stop, warn } = setUp(async () => {
    if (fails) throw new Error("away");
  });
  await vi.advanceTimersByTimeAsync(350);
  expect(warn).toHaveBeenCalledTimes(1);
  fails = false;
  await vi.advanceTimersByTimeAsync(100);
  fails = true;
  await vi.advanceTimersByTimeAsync(100);
  expect(warn).toHaveBeenCalledTimes(2);
  await stop();
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogger } from "./logger.ts";
import { repeat, WorkTimer } from "./repeat.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(task: () => Promise<void>) {
  const logger = createLogger("silent");
  const warn = vi.spyOn(logger, "warn");
  return { ...repeat(task, { everyMs: 100, what: "the task", logger }), warn };
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

test("a timer runs only while there is something to do", async () => {
  let left = 0;
  let runs = 0;
  const timer = new WorkTimer(100, () => {
    runs += 1;
    left -= 1;
    return left > 0;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect([runs, vi.getTimerCount()]).toEqual([0, 0]);
  left = 2;
  timer.start();
  timer.start();
  await vi.advanceTimersByTimeAsync(1000);
  expect([runs, vi.getTimerCount()]).toEqual([2, 0]);
  timer.start();
  timer.stop();
  timer.start();
  await vi.advanceTimersByTimeAsync(1000);
  expect([runs, vi.getTimerCount()]).toEqual([2, 0]);
});

test("a repeated task that is not needed pauses until it is started again", async () => {
  let isNeeded = true;
  let runs = 0;
  const task = async (): Promise<void> => void (runs += 1);
  const logger = createLogger("silent");
  const { start, stop } = repeat(task, {
    everyMs: 100,
    what: "the task",
    logger,
    isNeeded: () => isNeeded,
  });
  await vi.advanceTimersByTimeAsync(250);
  isNeeded = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect([runs, vi.getTimerCount()]).toEqual([2, 0]);
  isNeeded = true;
  start();
  await vi.advanceTimersByTimeAsync(250);
  expect(runs).toBe(4);
  await stop();
});

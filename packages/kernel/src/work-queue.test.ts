import { setImmediate as nextTurn, setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogger } from "./logger.ts";
import { boundedMap, repeat, WorkQueue, WorkTimer } from "./work-queue.ts";

test("bounds running and waiting tasks; failed tasks free their slot too", async () => {
  const queue = new WorkQueue({ atOnce: 2, waiting: 2, retryAfterMs: 1000 });
  const running: (() => void)[] = [];
  let started = 0;
  const task = (fails = false) =>
    queue.run(async () => {
      started += 1;
      await new Promise<void>((resolve) => running.push(resolve));
      if (fails) throw new Error("failed");
    });
  const tasks = [task(true), task(), task(), task()].map((one) => one.catch((error: Error) => error.message));
  await turn();
  expect(started).toBe(2);
  await expect(task()).rejects.toMatchObject({ type: "OVERLOADED" });
  for (let step = 0; step < 10; step++) {
    running.shift()?.();
    await turn();
    expect(running.length).toBeLessThanOrEqual(2);
  }
  expect(started).toBe(4);
  expect(await Promise.all(tasks)).toEqual(["failed", undefined, undefined, undefined]);
  const again = task();
  await turn();
  running.shift()?.();
  await again;
});

test("runs tasks in FIFO order", async () => {
  const queue = new WorkQueue({ atOnce: 2, waiting: 3, retryAfterMs: 1000 });
  const started: number[] = [];
  const release: (() => void)[] = [];
  const results = Array.from({ length: 6 }, (_, index) =>
    queue.run(async () => {
      started.push(index);
      await new Promise<void>((resolve) => void release.push(resolve));
      return index;
    }),
  );
  await expect(results[5]).rejects.toMatchObject({ type: "OVERLOADED", data: { retryAfterMs: 1000 } });
  expect(started).toEqual([0, 1]);
  for (let done = 0; done < 5; done += 1) {
    release.shift()?.();
    await results[done];
    await Promise.resolve();
    expect(started.length).toBeLessThanOrEqual(done + 3);
  }
  expect(await Promise.all(results.slice(0, 5))).toEqual([0, 1, 2, 3, 4]);
});

test("a failed task frees its slot", async () => {
  const queue = new WorkQueue({ atOnce: 2, waiting: 3, retryAfterMs: 1000 });
  const fail = () => queue.run(() => Promise.reject(new Error("no")));
  const results = await Promise.allSettled([fail(), fail(), fail(), queue.run(async () => "ok")]);
  expect(results[3]).toEqual({ status: "fulfilled", value: "ok" });
});

test("maps all items in order with bounded concurrency", async () => {
  let [running, most] = [0, 0];
  const doubled = await boundedMap([1, 2, 3, 4, 5, 6, 7], 3, async (n) => {
    running += 1;
    most = Math.max(most, running);
    for (let turns = n % 3; turns >= 0; turns--) await nextTurn();
    running -= 1;
    return n * 2;
  });
  expect(doubled).toEqual([2, 4, 6, 8, 10, 12, 14]);
  expect(most).toBe(3);
  expect(await boundedMap([], 3, () => Promise.resolve(1))).toEqual([]);
});

test("rejects with the first error", async () => {
  const map = async (n: number) => {
    if (n === 2) throw new Error("two");
  };
  await expect(boundedMap([1, 2, 3], 2, map)).rejects.toThrow("two");
});

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

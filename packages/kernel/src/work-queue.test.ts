import { setImmediate as nextTurn, setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { boundedMap, WorkQueue } from "./work-queue.ts";

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

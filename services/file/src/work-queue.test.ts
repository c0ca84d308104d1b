import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { WorkQueue } from "./work-queue.ts";

test("so many at once, so many waiting, and no more; who fails makes room too", async () => {
  const queue = new WorkQueue(2, 2);
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

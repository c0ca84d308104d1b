import { expect, test } from "vitest";
import { createHashQueue } from "./hash-queue.ts";

const queue = () => createHashQueue({ running: 2, waiting: 3, refuse: () => new Error("full") });

test("runs a bounded number at once, in order, and refuses beyond the bound", async () => {
  const enqueue = queue();
  const started: number[] = [];
  const release: (() => void)[] = [];
  const results = Array.from({ length: 6 }, (_, index) =>
    enqueue(async () => {
      started.push(index);
      await new Promise<void>((resolve) => void release.push(resolve));
      return index;
    }),
  );
  await expect(results[5]).rejects.toThrow("full");
  expect(started).toEqual([0, 1]);
  for (let done = 0; done < 5; done += 1) {
    release.shift()?.();
    await results[done];
    await Promise.resolve();
    expect(started.length).toBeLessThanOrEqual(done + 3);
  }
  expect(await Promise.all(results.slice(0, 5))).toEqual([0, 1, 2, 3, 4]);
});

test("a task that fails makes room for the next", async () => {
  const enqueue = queue();
  const fail = () => enqueue(() => Promise.reject(new Error("no")));
  const results = await Promise.allSettled([fail(), fail(), fail(), enqueue(async () => "ok")]);
  expect(results[3]).toEqual({ status: "fulfilled", value: "ok" });
});

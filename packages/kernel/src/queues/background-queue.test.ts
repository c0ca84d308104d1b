import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { BackgroundQueue } from "./background-queue.ts";

/** A queue whose items are worked on until `finish`, with what has begun. */
function start(waiting: number) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const queue = new BackgroundQueue<number>({
    atOnce: 2,
    waiting,
    async work(item, signal) {
      begun.push(item);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      signal.addEventListener("abort", () => resolve());
      await promise;
    },
  });
  return { queue, begun, finish: () => ends.shift()?.() };
}

test("some at a time, in their order; what is too much is not taken", async () => {
  const { queue, begun, finish } = start(2);
  expect([1, 2, 3, 4, 5].map((item) => queue.add(item))).toEqual([true, true, true, true, false]);
  expect([begun, queue.waiting]).toEqual([[1, 2], 2]);
  finish();
  await turn();
  expect([begun, queue.waiting]).toEqual([[1, 2, 3], 1]);
  expect(queue.add(6)).toBe(true);
  for (let step = 0; step < 4; step += 1) {
    finish();
    await turn();
  }
  expect(begun).toEqual([1, 2, 3, 4, 6]);
});

test("its end gives up what waits, tells what runs, and waits for it", async () => {
  const { queue, begun } = start(10);
  for (const item of [1, 2, 3]) queue.add(item);
  await queue.stop();
  expect(queue.add(4)).toBe(true);
  await turn();
  expect([begun, queue.waiting]).toEqual([[1, 2], 0]);
});

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { boundedMap } from "./bounded-map.ts";

test("all items are mapped in order, no more than so many at a time", async () => {
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

test("the first error is what it rejects with", async () => {
  const map = async (n: number) => {
    if (n === 2) throw new Error("two");
  };
  await expect(boundedMap([1, 2, 3], 2, map)).rejects.toThrow("two");
});

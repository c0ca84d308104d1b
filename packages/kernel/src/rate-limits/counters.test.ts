import { expect, test } from "vitest";
import { MemoryCounters } from "./counters.ts";

test("adds up until the window started by the first step ends", async () => {
  const counters = new MemoryCounters();
  expect((await counters.add(["a", 2, 1000, "b", 1, 1000]))[0]).toBe(2);
  const [total, leftMs, ofB] = await counters.add(["a", 3, 60_000, "b", 0, 60_000]);
  expect([total, ofB]).toEqual([5, 1]);
  expect(leftMs).toBeLessThanOrEqual(1000);
});

test("starts again after the window ends and removes ended windows", async () => {
  const counters = new MemoryCounters();
  await counters.add(["a", 5, -1, "b", 5, -1]);
  expect((await counters.add(["a", 1, 1000]))[0]).toBe(1);
  expect(counters.size).toBe(1);
});

test("keeps a bounded number of counters", async () => {
  const counters = new MemoryCounters(10);
  for (let i = 0; i < 100; i++) await counters.add([`key ${i}`, 1, 60_000]);
  expect(counters.size).toBe(10);
});

import { expect, test } from "vitest";
import { MemoryCounters, RateLimiter } from "./counters.ts";

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

const limit = { points: 2, durationMs: 1000 };

test("allows the points of a window, then returns the time to wait", () => {
  const limiter = new RateLimiter(limit);
  expect(limiter.take("a", 0)).toBe(0);
  expect(limiter.take("a", 10)).toBe(0);
  expect(limiter.take("a", 400)).toBe(600);
  expect(limiter.take("b", 400)).toBe(0);
  expect(limiter.take("a", 1000)).toBe(0);
});

test("does not multiply limits on guesses", () => {
  expect(new RateLimiter({ ...limit, unscaled: true }, { factor: 100 }).points).toBe(limit.points);
});

test("multiplies points by the factor, to at least one", () => {
  const twice = new RateLimiter(limit, { factor: 2 });
  expect([1, 2, 3, 4, 5].map(() => twice.take("a", 0))).toEqual([0, 0, 0, 0, 1000]);
  const hardly = new RateLimiter(limit, { factor: 0.001 });
  expect([1, 2].map(() => hardly.take("a", 0))).toEqual([0, 1000]);
});

test("a deferred charge can exceed the limit once; checking takes no points", () => {
  const limiter = new RateLimiter({ points: 100, durationMs: 1000 });
  expect([0, 99, 0, 500, 0, 1].map((points) => limiter.take("a", 0, points))).toEqual([
    0, 0, 0, 0, 1000, 1000,
  ]);
  expect(limiter.take("a", 1000, 0)).toBe(0);
});

test("removes ended windows", () => {
  const limiter = new RateLimiter(limit);
  for (let user = 0; user < 100; user++) limiter.take(`user ${user}`, user);
  limiter.take("late", 5000);
  expect(limiter.size).toBe(1);
});

test("keeps a bounded number of subjects", () => {
  const limiter = new RateLimiter(limit, { maxSubjects: 10 });
  for (let user = 0; user < 100; user++) limiter.take(`user ${user}`, 0);
  expect(limiter.size).toBe(10);
});

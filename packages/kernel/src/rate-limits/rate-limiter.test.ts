import { expect, test } from "vitest";
import { RateLimiter } from "./rate-limiter.ts";

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

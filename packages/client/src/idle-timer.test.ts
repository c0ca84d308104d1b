import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleTimer } from "./timing.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("fires once after silence, up to a third sooner or later, and again only after a reset", () => {
  const quiet: number[] = [];
  const watch = new IdleTimer(30_000, () => quiet.push(Date.now()));
  const start = Date.now();
  vi.advanceTimersByTime(100_000);
  expect(quiet).toEqual([]);
  for (let i = 0; i < 10; i++) {
    watch.reset();
    vi.advanceTimersByTime(10_000);
  }
  expect(quiet).toEqual([]);
  vi.advanceTimersByTime(200_000);
  expect(quiet).toHaveLength(1);
  expect(quiet[0]! - (start + 190_000)).toBeGreaterThanOrEqual(20_000 - 1);
  expect(quiet[0]! - (start + 190_000)).toBeLessThanOrEqual(40_000 + 1);
  watch.reset();
  watch.stop();
  vi.advanceTimersByTime(200_000);
  expect(quiet).toHaveLength(1);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { DurationCounts } from "./duration-counts.ts";

test("every duration is in a bucket that is not shorter, and at most 19 % longer", () => {
  fc.assert(
    fc.property(fc.double({ min: 1 / 16, max: 800_000, noNaN: true }), (durationMs) => {
      const durations = new DurationCounts();
      durations.add(durationMs, 3);
      const { counts, maxMs } = durations.take();
      expect(counts).toHaveLength(1);
      const [upToMs, count] = counts[0]!;
      expect(count).toBe(3);
      expect(maxMs).toBe(durationMs);
      expect(upToMs * (1 + 1e-9)).toBeGreaterThanOrEqual(durationMs);
      expect(upToMs).toBeLessThanOrEqual(durationMs * 1.19);
    }),
  );
});

test("what is too short or too long for the buckets is in the first and the last one", () => {
  const durations = new DurationCounts();
  for (const durationMs of [0, 1e-9, 1e12]) durations.add(durationMs);
  const { counts, maxMs } = durations.take();
  expect(counts.map(([, count]) => count)).toEqual([2, 1]);
  expect(maxMs).toBe(1e12);
});

test("what was taken is gone", () => {
  const durations = new DurationCounts();
  durations.add(1);
  durations.take();
  expect(durations.take()).toEqual({ counts: [], maxMs: 0 });
});

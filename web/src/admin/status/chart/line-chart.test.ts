import { expect, test } from "vitest";
import { linePath, niceTicks, timeTicks } from "./line-chart.tsx";
import fc from "fast-check";

test("missing values are gaps", () => {
  const points = [{ x: 0, y: 1 }, { x: 1, y: 2.04 }, null, { x: 3, y: 4 }];
  expect(linePath(points)).toBe("M0 1L0 1L1 2M3 4L3 4");
  expect(linePath([null])).toBe("");
});

test("ticks start at 0, are evenly spaced and end at the first one above the highest value", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 1e12, noNaN: true }),
      fc.integer({ min: 1, max: 8 }),
      (highest, count) => {
        const ticks = niceTicks(highest, count);
        const step = ticks[1]!;
        expect(ticks[0]).toBe(0);
        expect(ticks.length - 1).toBeLessThanOrEqual(count);
        expect(ticks.at(-1)! * (1 + 1e-6)).toBeGreaterThanOrEqual(highest);
        expect(ticks.at(-1)! - step).toBeLessThan(highest);
      },
    ),
  );
});

test("ticks are round numbers", () => {
  expect(niceTicks(37, 4)).toEqual([0, 10, 20, 30, 40]);
  expect(niceTicks(0.9, 3)).toEqual([0, 1]);
  expect(niceTicks(1, 4)).toEqual([0, 1]);
  expect(niceTicks(3, 4)).toEqual([0, 1, 2, 3]);
  expect(niceTicks(0, 4)).toEqual([0, 1]);
});

test("time labels are round, within the range and limited by the width", () => {
  expect(timeTicks(1, 60_000, 4)).toEqual([15_000, 30_000, 45_000, 60_000]);
  expect(timeTicks(1, 600_000, 4)).toEqual([300_000, 600_000]);
  expect(timeTicks(5, 5, 4)).toEqual([]);
  const day = 86_400_000;
  expect(timeTicks(0, 29 * day, 5).map((tick) => tick / day)).toEqual([0, 7, 14, 21, 28]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { niceTicks, timeTicks } from "./scale.ts";

test("ticks begin at 0, are equally far apart, and reach the highest value with less than one part to spare", () => {
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
  expect(niceTicks(0.9, 3)).toEqual([0, 0.5, 1]);
  expect(niceTicks(0, 4)).toEqual([0, 1]);
});

test("times are whole steps within the range", () => {
  expect(timeTicks(1001, 4000, 1000)).toEqual([2000, 3000, 4000]);
});

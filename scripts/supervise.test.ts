import { expect, test } from "vitest";
import { Restarts } from "./supervise.ts";

test("waits longer after each immediate failure, and gives up after five", () => {
  const restarts = new Restarts();
  expect([10, 20, 30, 40, 50].map((ranMs) => restarts.next(ranMs))).toEqual([1000, 2000, 4000, 8000, null]);
});

test("a process that ran for a while is always restarted", () => {
  const restarts = new Restarts();
  for (let ends = 0; ends < 20; ends += 1) {
    expect(restarts.next(60_000)).toBe(500);
    expect(restarts.next(100)).toBe(1000);
  }
});

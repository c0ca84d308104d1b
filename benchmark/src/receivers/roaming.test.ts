import { expect, test } from "vitest";
import { Roaming } from "./receiver.ts";

const assignment = { receiver: 7, credential: null, localAddress: undefined, server: 1 };

test("a receiver that lost its server moves to another one, if there is one", () => {
  const roaming = new Roaming(3);
  const servers = Array.from({ length: 50 }, () => roaming.elsewhere(assignment).server);
  expect(new Set(servers)).toEqual(new Set([0, 2]));
  expect(new Roaming(1).elsewhere({ ...assignment, server: 0 }).server).toBe(0);
});

test("waits are random, and grow with each failure up to a limit", () => {
  const roaming = new Roaming(2);
  for (const [failures, mostMs] of [
    [0, 1000],
    [2, 4000],
    [9, 15_000],
  ] as const) {
    for (let i = 0; i < 20; i++) {
      const waitMs = roaming.waitMs(7, failures);
      expect(waitMs).toBeGreaterThanOrEqual(mostMs / 2);
      expect(waitMs).toBeLessThanOrEqual(mostMs);
    }
  }
});

test("a draining receiver that is disconnected early still waits for its time, once", () => {
  const roaming = new Roaming(2);
  const leaveMs = roaming.drain(7, 5000);
  expect(roaming.waitMs(7, 0)).toBeLessThanOrEqual(leaveMs);
  expect(roaming.waitMs(7, 0)).toBeGreaterThanOrEqual(500);
});

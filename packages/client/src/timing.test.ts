import { expect, test } from "vitest";
import { backoffMs, sleep } from "./timing.ts";

const backoff = { baseMs: 100, maxMs: 1000 };

test("the wait doubles, stays within its bound and never is nothing", () => {
  expect([0, 1, 2, 3, 4, 400].map((attempt) => backoffMs(attempt, backoff, () => 1))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ]);
  expect(backoffMs(0, backoff, () => 0)).toBe(50);
});

test("an aborted sleep ends at once", async () => {
  const abort = new AbortController();
  const long = sleep(60_000, abort.signal);
  abort.abort();
  await expect(Promise.all([long, sleep(60_000, abort.signal)])).resolves.toBeDefined();
});

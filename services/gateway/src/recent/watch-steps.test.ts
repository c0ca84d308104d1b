import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LIMITS } from "@fanfare/contract";
import { watchSteps } from "./watch-steps.ts";

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("steps go on while no file can be opened, with the memory that was read last", async () => {
  const { recent, stop } = watchSteps(() => 3);
  await vi.advanceTimersByTimeAsync(LIMITS.metricsStepMs);
  const before = recent.steps.at(-1)!.memoryBytes;
  expect(before).toBeGreaterThan(0);

  const rss = vi.spyOn(process.memoryUsage, "rss").mockImplementation(() => {
    throw Object.assign(new Error("too many open files, uv_resident_set_memory"), { code: "EMFILE" });
  });
  await vi.advanceTimersByTimeAsync(2 * LIMITS.metricsStepMs);
  expect(rss).toHaveBeenCalledTimes(2);
  expect(recent.steps.map(({ memoryBytes }) => memoryBytes).slice(-2)).toEqual([before, before]);
  stop();
});

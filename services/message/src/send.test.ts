import { expect, onTestFinished, test, vi } from "vitest";
import { MemoryCounters, type SharedCounters } from "@fanfare/kernel";
import { createSlowMode } from "./send.ts";

const logger = { warn: () => undefined } as never;
const refused = (retryAfterMs: unknown) => ({ type: "SLOW_MODE", data: { retryAfterMs } });

test("processes that share counters reject what another one has accepted, for exactly the remaining time", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const counters = new MemoryCounters();
  const [here, there] = [createSlowMode(counters, logger), createSlowMode(counters, logger)];
  await here.take("channel", "user", 50);
  await expect(there.take("channel", "user", 50)).rejects.toMatchObject(refused(expect.any(Number)));
  await there.take("channel", "another", 50);
  await there.take("another", "user", 50);
  const error = (await here.take("channel", "user", 50).catch((thrown: unknown) => thrown)) as {
    data: { retryAfterMs: number };
  };
  expect(error.data.retryAfterMs).toBeGreaterThan(0);
  vi.advanceTimersByTime(error.data.retryAfterMs - 1);
  await expect(there.take("channel", "user", 50)).rejects.toMatchObject(refused(1));
  vi.advanceTimersByTime(1);
  await there.take("channel", "user", 50);
});

test("a message that was not stored doesn't count", async () => {
  const slowMode = createSlowMode(new MemoryCounters(), logger);
  const giveBack = await slowMode.take("channel", "user", 60_000);
  await expect(slowMode.take("channel", "user", 60_000)).rejects.toMatchObject(refused(expect.any(Number)));
  giveBack();
  await expect(slowMode.take("channel", "user", 60_000)).resolves.toBeInstanceOf(Function);
});

test("without the counters everyone can send", async () => {
  const away: SharedCounters = { add: () => Promise.reject(new Error("away")) };
  const slowMode = createSlowMode(away, logger);
  await slowMode.take("channel", "user", 60_000);
  await expect(slowMode.take("channel", "user", 60_000)).resolves.toBeInstanceOf(Function);
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { followWish, reportRepeatedly } from "./own-devices.ts";

test("a device that opens late is turned off again, if that is the last wish", async () => {
  const turns: string[] = [];
  const opening = Promise.withResolvers<void>();
  const set = followWish(async (isOn, isStillWanted) => {
    if (isOn) await opening.promise;
    turns.push(`${isOn ? "on" : "off"}, ${isStillWanted() ? "wanted" : "unwanted"}`);
  });
  const on = set(true);
  const off = set(false);
  opening.resolve();
  await Promise.all([on, off]);
  expect(turns).toEqual(["on, unwanted", "off, wanted"]);
});

test("turning off and on while it opens opens it once", async () => {
  const turns: boolean[] = [];
  const set = followWish(async (isOn) => {
    turns.push(isOn);
    await Promise.resolve();
  });
  await Promise.all([set(true), set(false), set(true)]);
  expect(turns).toEqual([true]);
});

test("after a failure, the next wish is followed", async () => {
  let fails = true;
  const turns: boolean[] = [];
  const set = followWish(async (isOn) => {
    await Promise.resolve();
    if (fails) throw new Error("no device");
    turns.push(isOn);
  });
  await expect(set(true)).rejects.toThrow("no device");
  fails = false;
  await set(true);
  expect(turns).toEqual([true]);
});

describe("reports of a state", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test("are sent at once, repeated while it is on, and end with it", () => {
    const send = vi.fn<(isOn: boolean) => void>();
    const reports = reportRepeatedly(1000, send);
    reports.change(false);
    expect(send).not.toHaveBeenCalled();
    reports.change(true);
    expect(send.mock.lastCall).toEqual([true]);
    vi.advanceTimersByTime(3000);
    expect(send).toHaveBeenCalledTimes(4);
    for (let times = 0; times < 11; times++) reports.change(times % 2 === 1);
    expect(send).toHaveBeenCalledTimes(4);
    vi.advanceTimersByTime(60_000);
    expect(send).toHaveBeenCalledTimes(5);
    expect(send.mock.lastCall).toEqual([false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("end with the call", () => {
    const send = vi.fn<(isOn: boolean) => void>();
    const reports = reportRepeatedly(1000, send);
    reports.change(true);
    reports.end();
    vi.advanceTimersByTime(60_000);
    expect(send).toHaveBeenCalledTimes(1);
  });
});

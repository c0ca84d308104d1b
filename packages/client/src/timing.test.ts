import { backoffMs } from "@fanfare/contract/backoff";
import { expect, test, vi } from "vitest";
import { inOutage, sleep, sleepUntilOnline } from "./timing.ts";

const backoff = { baseMs: 100, maxMs: 1000 };

test("the delay doubles, stays within its limit and is never zero", () => {
  expect([0, 1, 2, 3, 4, 400].map((attempt) => backoffMs(attempt, backoff, () => 1))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ]);
  expect(backoffMs(0, backoff, () => 0)).toBe(50);
});

const connecting = { baseMs: 1000, maxMs: 15_000 };

/** The retry times of a client whose connection is lost at 0, until `untilMs`. */
function triesUntil(untilMs: number): number[] {
  const tries: number[] = [];
  let atMs = 0;
  for (;;) {
    atMs += backoffMs(tries.length, inOutage(atMs, connecting));
    if (atMs > untilMs) return tries;
    tries.push(atMs);
  }
}

test("the delay is at most five seconds in the first minute of an outage, later up to the limit", () => {
  const waits = triesUntil(600_000).map((atMs, index, tries) => [tries[index - 1] ?? 0, atMs] as const);
  const young = waits.filter(([fromMs]) => fromMs < 60_000).map(([fromMs, atMs]) => atMs - fromMs);
  const old = waits.filter(([fromMs]) => fromMs >= 60_000).map(([fromMs, atMs]) => atMs - fromMs);
  expect(Math.max(...young)).toBeLessThanOrEqual(5000);
  expect(Math.min(...old)).toBeGreaterThanOrEqual(7500);
  expect(Math.max(...old)).toBeLessThanOrEqual(15_000);
  expect(inOutage(0, backoff)).toEqual(backoff);
});

test("clients disconnected together spread their retries", () => {
  const crowd = 10_000;
  const perTenth = new Map<number, number>();
  for (let i = 0; i < crowd; i++) {
    for (const atMs of triesUntil(40_000)) {
      const tenth = Math.floor(atMs / 100);
      perTenth.set(tenth, (perTenth.get(tenth) ?? 0) + 1);
    }
  }
  const later = [...perTenth].filter(([tenth]) => tenth >= 100).map(([, tries]) => tries);
  // An even distribution would be 2.7 %.
  expect(Math.max(...later)).toBeLessThan(crowd * 0.05);
});

test("an aborted sleep ends immediately", async () => {
  const abort = new AbortController();
  const long = sleep(60_000, abort.signal);
  abort.abort();
  await expect(Promise.all([long, sleep(60_000, abort.signal)])).resolves.toBeDefined();
});

test("a wait for the server ends when the device is back online, or when it is stopped", async () => {
  const browser = new EventTarget();
  vi.stubGlobal("addEventListener", browser.addEventListener.bind(browser));
  vi.stubGlobal("removeEventListener", browser.removeEventListener.bind(browser));
  try {
    const ended: string[] = [];
    const stop = new AbortController();
    const waiting = sleepUntilOnline(3_600_000, new AbortController().signal).then(() =>
      ended.push("online"),
    );
    const stopped = sleepUntilOnline(3_600_000, stop.signal).then(() => ended.push("stopped"));
    stop.abort();
    await stopped;
    expect(ended).toEqual(["stopped"]);
    browser.dispatchEvent(new Event("online"));
    await waiting;
    expect(ended).toEqual(["stopped", "online"]);
  } finally {
    vi.unstubAllGlobals();
  }
});

import { describe, expect, test } from "vitest";
import {
  Admission,
  ADMISSION_WINDOW_MS,
  LIGHT_CALLS,
  MIN_CALLS_IN_FLIGHT,
  UsualDuration,
} from "./admission.ts";
import { MAX_CALLS_IN_FLIGHT } from "./constants.ts";

/** A FIFO server that handles `perWindow` calls per window, with a simulated clock. */
function createPlace(perWindow: number) {
  let nowMs = 0;
  let isTicking = false;
  const admission = new Admission(
    () => (isTicking = true),
    () => nowMs,
  );
  const usual = new UsualDuration();
  const queue: { user: string; beganMs: number; end: () => void }[] = [];
  const answered = new Map<string, number>();
  let worstMs = 0;
  const offer = (user: string): boolean => {
    const kind = admission.admit(user);
    if (kind === null) return false;
    queue.push({ user, beganMs: nowMs, end: admission.begin(kind, usual) });
    return true;
  };
  const window = (offered: readonly string[], lateMs = 0): { answered: number; refused: number } => {
    const refused = offered.filter((user) => !offer(user)).length;
    nowMs += ADMISSION_WINDOW_MS + lateMs;
    const done = queue.splice(0, perWindow);
    for (const { user, beganMs, end } of done) {
      end();
      answered.set(user, (answered.get(user) ?? 0) + 1);
      worstMs = nowMs - beganMs;
    }
    if (isTicking) isTicking = admission.tick();
    return { answered: done.length, refused };
  };
  const pass = (ms: number): void => void (nowMs += ms);
  return { admission, window, answered, offer, pass, isTicking: () => isTicking, lastWaitMs: () => worstMs };
}

const users = (count: number, times: number): string[] =>
  Array.from({ length: count * times }, (_, i) => `user ${i % count}`);

describe("the limit", () => {
  test("stays at the maximum while calls are fast, and ignores a single slow moment", () => {
    const { admission, window } = createPlace(100);
    for (let i = 0; i < 50; i += 1) window(users(50, 2), i === 25 ? 2000 : 0);
    expect([admission.limit, admission.overloadedForMs]).toEqual([MAX_CALLS_IN_FLIGHT, 0]);
  });

  test("shrinks under three times the load until admitted calls are fast, and uses most of the capacity", () => {
    const { admission, window, lastWaitMs } = createPlace(100);
    for (let i = 0; i < 100; i += 1) window(users(50, 6));
    let answered = 0;
    for (let i = 0; i < 100; i += 1) answered += window(users(50, 6)).answered;
    expect(answered).toBeGreaterThanOrEqual(0.7 * 100 * 100);
    expect(lastWaitMs()).toBeLessThanOrEqual(1000);
    expect(admission.limit).toBeGreaterThanOrEqual(MIN_CALLS_IN_FLIGHT);
    expect(admission.limit).toBeLessThan(1000);
    expect(admission.overloadedForMs).toBeGreaterThan(10_000);
  });

  test("shrinks when nothing completes, and grows again with the load afterwards", () => {
    const stuck = createPlace(0);
    for (let i = 0; i < 50; i += 1) stuck.window(users(50, 6));
    expect(stuck.admission.limit).toBe(MIN_CALLS_IN_FLIGHT);
    const { admission, window } = createPlace(100);
    for (let i = 0; i < 100; i += 1) window(users(50, 6));
    const { limit } = admission;
    for (let i = 0; i < 50; i += 1) window(users(50, 1));
    expect(admission.overloadedForMs).toBe(0);
    expect(window(users(50, 1)).refused).toBe(0);
    expect(limit).toBeLessThan(1000);
  });

  test("shrinks when the event loop is delayed", () => {
    const { admission, window } = createPlace(1000);
    for (let i = 0; i < 20; i += 1) window(users(200, 1), 1000);
    expect(admission.limit).toBeLessThan(MAX_CALLS_IN_FLIGHT);
    expect(admission.overloadedForMs).toBeGreaterThan(0);
  });
});

test("needs no ticks while nothing happens, and takes no pause for a delay", () => {
  const { admission, window, pass, isTicking } = createPlace(100);
  expect(isTicking()).toBe(false);
  for (let pauses = 0; pauses < 10; pauses += 1) {
    window(users(50, 2));
    expect(isTicking()).toBe(true);
    for (let i = 0; i < 30; i += 1) window([]);
    expect([isTicking(), admission.delayMs]).toEqual([false, 0]);
    pass(60_000);
  }
  window(users(50, 2));
  expect([admission.limit, admission.delayMs]).toEqual([MAX_CALLS_IN_FLIGHT, 0]);
});

test("ticks go on until the overload is over", () => {
  const { admission, window, isTicking } = createPlace(100);
  for (let i = 0; i < 100; i += 1) window(users(50, 6));
  expect(admission.overloadedForMs).toBeGreaterThan(0);
  for (let i = 0; i < 200 && isTicking(); i += 1) window([]);
  expect([isTicking(), admission.overloadedForMs, admission.inFlight]).toEqual([false, 0, 0]);
});

test("calls that wait for a bot don't count towards the limit, but are reported as in flight", () => {
  const { admission, window } = createPlace(100);
  const ends = Array.from({ length: MAX_CALLS_IN_FLIGHT * 2 }, () => admission.begin("heavy", null));
  expect(admission.admit("a user")).not.toBeNull();
  for (let i = 0; i < 20; i += 1) window([]);
  expect([admission.limit, admission.overloadedForMs]).toEqual([MAX_CALLS_IN_FLIGHT, 0]);
  expect(admission.inFlight).toBe(ends.length);
  for (const end of ends) end();
  expect(admission.inFlight).toBe(0);
});

test("serves users with few calls while users with many are rejected", () => {
  const { window, answered } = createPlace(100);
  let offered = 0;
  for (let i = 0; i < 300; i += 1) {
    const isTurn = i > 100 && i % 10 === 0;
    if (isTurn) offered += 1;
    window([...users(20, 20), ...(isTurn ? ["bystander"] : [])]);
  }
  for (let i = 0; i < 20; i += 1) window([]);
  expect(answered.get("bystander")).toBe(offered);
});

test("gives connections a limited share", () => {
  const { admission, offer } = createPlace(100);
  const ends: (() => void)[] = [];
  while (admission.admitsConnection()) ends.push(admission.beginConnection());
  expect(ends.length).toBe(MAX_CALLS_IN_FLIGHT / 4);
  expect(offer("a user")).toBe(true);
  for (const end of ends) end();
  expect(admission.admitsConnection()).toBe(true);
  for (let i = 0; i < LIGHT_CALLS; i += 1) offer("many calls");
  let admitted = LIGHT_CALLS;
  while (offer("many calls")) admitted += 1;
  expect(admission.inFlight).toBe(MAX_CALLS_IN_FLIGHT * 0.75);
  expect(offer("few calls")).toBe(true);
});

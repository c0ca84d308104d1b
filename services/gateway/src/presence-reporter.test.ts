import type { Params } from "@fanfare/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  PRESENCE_GRACE_MS,
  PRESENCE_HEARTBEAT_MS,
  PRESENCE_REPORT_MAX_USERS,
  PRESENCE_REPORT_TIMEOUT_MS,
  PRESENCE_TICK_MS,
} from "./constants.ts";
import { PresenceReporter } from "./presence-reporter.ts";

type Report = Params<"presence.report">;

let sent: Report[];
let answer: (report: Report) => Promise<{ known: boolean }>;
let here: string[];
let reporter: PresenceReporter;
const onError = vi.fn<() => void>();
const onFullReport = vi.fn<() => void>();

beforeEach(() => {
  vi.useFakeTimers();
  onError.mockClear();
  onFullReport.mockClear();
  sent = [];
  here = [];
  let names = 0;
  answer = async () => ({ known: true });
  reporter = new PresenceReporter({
    send(report) {
      sent.push(report);
      return answer(report);
    },
    listUserIds: () => here,
    newGatewayId: () => `run ${(names += 1)}`,
    onFullReport,
    onError,
  });
});
afterEach(() => {
  reporter.stop();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const changes = () => sent.filter((r) => r.connected.length + r.disconnected.length > 0);

test("sends connects and disconnects in numbered batches", async () => {
  reporter.connected("ann");
  reporter.connected("bob");
  await pass(PRESENCE_TICK_MS);
  reporter.disconnected("bob");
  await pass(PRESENCE_GRACE_MS + PRESENCE_TICK_MS);
  expect(changes()).toMatchObject([
    { gatewayId: "run 1", number: 1, connected: ["ann", "bob"], disconnected: [] },
    { gatewayId: "run 1", connected: [], disconnected: ["bob"] },
  ]);
  expect(sent.map(({ number }) => number)).toEqual(sent.map((_report, index) => index + 1));
});

test("doesn't report a user who reconnects within the grace period", async () => {
  reporter.connected("ann");
  await pass(PRESENCE_TICK_MS);
  reporter.disconnected("ann");
  await pass(PRESENCE_GRACE_MS / 2);
  reporter.connected("ann");
  await pass(2 * PRESENCE_GRACE_MS);
  expect(changes()).toHaveLength(1);
});

test("sends a heartbeat when there are no changes", async () => {
  here = ["ann"];
  reporter.connected("ann");
  await pass(10 * PRESENCE_HEARTBEAT_MS);
  expect(sent.length).toBeGreaterThanOrEqual(8);
  expect(sent.length).toBeLessThanOrEqual(11);
});

test("is silent while no one is connected, and then begins as another gateway", async () => {
  await pass(10 * PRESENCE_HEARTBEAT_MS);
  expect([sent, vi.getTimerCount()]).toEqual([[], 0]);
  here = ["ann"];
  reporter.connected("ann");
  await pass(PRESENCE_HEARTBEAT_MS);
  here = [];
  reporter.disconnected("ann");
  await pass(PRESENCE_GRACE_MS + 2 * PRESENCE_HEARTBEAT_MS);
  expect(changes()).toMatchObject([{ connected: ["ann"] }, { disconnected: ["ann"] }]);
  expect(vi.getTimerCount()).toBe(0);
  reporter.connected("bob");
  await pass(PRESENCE_TICK_MS);
  expect(sent.at(-1)).toMatchObject({ gatewayId: "run 2", number: 1, connected: ["bob"] });
});

test("splits many changes into several sequential reports", async () => {
  for (let i = 0; i < 2.5 * PRESENCE_REPORT_MAX_USERS; i++) reporter.connected(`user ${i}`);
  await pass(PRESENCE_TICK_MS);
  const sizes = sent.map(({ connected }) => connected.length);
  expect(sizes).toEqual([
    PRESENCE_REPORT_MAX_USERS,
    PRESENCE_REPORT_MAX_USERS,
    PRESENCE_REPORT_MAX_USERS / 2,
  ]);
});

test("repeats a rejected report unchanged, followed by later changes", async () => {
  answer = async () => {
    throw new Error("no presence service");
  };
  reporter.connected("ann");
  await pass(4 * PRESENCE_TICK_MS);
  reporter.connected("bob");
  answer = async () => ({ known: true });
  await pass(2 * PRESENCE_TICK_MS);
  const ofAnn = sent.filter(({ connected }) => connected.includes("ann"));
  expect(ofAnn.length).toBeGreaterThan(2);
  expect(new Set(ofAnn.map(({ number }) => number))).toEqual(new Set([1]));
  expect(sent.at(-1)).toMatchObject({ number: 2, connected: ["bob"] });
  expect(onError).toHaveBeenCalledTimes(1);
});

test("repeats an unanswered report, possibly to another worker", async () => {
  answer = () => new Promise(() => {});
  reporter.connected("ann");
  await pass(PRESENCE_TICK_MS + PRESENCE_REPORT_TIMEOUT_MS + PRESENCE_TICK_MS);
  expect(sent.map(({ number }) => number)).toEqual([1, 1]);
});

test("after it was considered dead, reports everything under a new ID", async () => {
  here = ["ann", "bob"];
  reporter.connected("ann");
  reporter.connected("bob");
  reporter.connected("cat");
  await pass(PRESENCE_TICK_MS);
  reporter.disconnected("cat");
  answer = async ({ gatewayId }) => ({ known: gatewayId !== "run 1" });
  await pass(PRESENCE_HEARTBEAT_MS);
  const again = sent.filter(({ gatewayId }) => gatewayId === "run 2");
  expect(again[0]).toMatchObject({ number: 1, disconnected: [] });
  expect(again[0]!.connected.toSorted()).toEqual(["ann", "bob", "cat"]);
  expect(onFullReport).not.toHaveBeenCalled();
  await pass(PRESENCE_GRACE_MS);
  expect(sent.at(-1)).toMatchObject({ gatewayId: "run 2" });
  expect(sent.some(({ disconnected }) => disconnected.includes("cat"))).toBe(true);
  await pass(5 * PRESENCE_HEARTBEAT_MS);
  expect(onFullReport).toHaveBeenCalledTimes(1);
});

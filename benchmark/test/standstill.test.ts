import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Result } from "../src/report/result.ts";
import { startFakePlatform, type FakePlatform } from "./fake-platform.ts";
import { metricValue } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
let platform: FakePlatform;
beforeEach(async () => {
  bench = await Bench.open();
  // Each message is in flight for a while, so that a pause of the tester falls into one, and a busy machine is none.
  platform = await startFakePlatform((member) => (member === 0 ? { delayMs: 400 } : undefined));
});
afterEach(async () => {
  await platform.close();
  await bench.close();
});

const STOP_MS = 900;
const SMALL = ["--users", "20", "--probes", "2", "--warmup", "0", "--idle", "20ms", "--interval", "0ms"];

test("messages during which the tester was suspended are named, and left out of the times", async () => {
  const args = ["broadcast", ...SMALL, "--messages", "16", "--url", platform.url];
  const { code, stdout, ...outcome } = await bench.runAndAct(args, "sending messages", async (child) => {
    for (let i = 0; i < 3; i++) {
      await sleep(700);
      child.kill("SIGSTOP");
      await sleep(STOP_MS);
      child.kill("SIGCONT");
    }
  });
  expect(code).toBe(0);
  const result = outcome.result as Result;
  const messages = result.series.find(({ label }) => label.startsWith("Each message"))!.points;
  const paused = messages.filter(({ y }) => y! >= STOP_MS);
  expect(paused.length).toBeGreaterThan(0);
  expect(paused.map(({ kind }) => kind)).toEqual(paused.map(() => "disturbed by the tester"));
  expect(metricValue(result, "disturbedMessages")).toBeGreaterThanOrEqual(paused.length);
  expect(metricValue(result, "testerDelayMs")).toBeGreaterThan(STOP_MS - 100);
  expect(metricValue(result, "worstMs")).toBeLessThan(STOP_MS);
  expect(stdout).toMatch(/The tester itself stood still during \d+ of 16 messages/);
});

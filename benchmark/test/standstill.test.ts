import type { ChildProcess } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Result } from "../src/report/result.ts";
import { startFakePlatform, type FakePlatform } from "./fake-platform.ts";
import { metricValue } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

const STOP_MS = 900;
const WARM = 10;
const BURST = 4;
/** The first message, the cold one, two warm ones, and a message of the first burst. */
const STOPPED_AT = [0, 1, 3, 5, WARM + 2];

let bench: Bench;
let platform: FakePlatform;
let tester: ChildProcess;
let stoppedAt: readonly number[];
beforeEach(async () => {
  bench = await Bench.open();
  stoppedAt = STOPPED_AT;
  platform = await startFakePlatform((member, message) => {
    if (member !== 0) return undefined;
    if (stoppedAt.includes(message)) {
      tester.kill("SIGSTOP");
      setTimeout(() => tester.kill("SIGCONT"), STOP_MS);
    }
    // So that the message is still in flight when the tester is stopped, and a busy machine is no standstill.
    return { delayMs: 300 };
  });
});
afterEach(async () => {
  await platform.close();
  await bench.close();
});

test(
  "messages during which the tester was suspended are named, and left out of the times",
  { tags: "long" },
  async () => {
    const options = "--users 20 --probes 2 --warmup 1 --idle 20ms --interval 0ms --burst-repeats 5";
    const more = ["--messages", String(WARM), "--burst", String(BURST), "--url", platform.url];
    const args = ["broadcast", ...options.split(" "), ...more];
    const outcome = await bench.runProgram(args, "registering", (child) => (tester = child));
    expect(outcome.code).toBe(0);
    const result = outcome.result as Result;
    const messages = result.series.find(({ label }) => label.startsWith("Each message"))!.points;
    for (const stopped of STOPPED_AT.slice(0, -1)) {
      expect(messages[stopped]!.y).toBeGreaterThanOrEqual(STOP_MS);
      expect(messages[stopped]!.kind).toBe("disturbed by the tester");
    }
    expect(metricValue(result, "disturbedMessages")).toBeGreaterThanOrEqual(2);
    expect(metricValue(result, "testerDelayMs")).toBeGreaterThan(STOP_MS - 100);
    // Not a fixed limit: on a busy machine, the other messages can take as long.
    const warm = messages.slice(-WARM);
    const others = warm.filter(({ kind }) => kind === "warm");
    // A busy machine disturbs further messages. If they are most of all, nothing is left out.
    const counted = others.length >= WARM / 2 ? others : warm;
    expect(metricValue(result, "worstMs")).toBe(Math.max(...counted.map(({ y }) => y!)));
    expect(metricValue(result, "firstMs")).toBeUndefined();
    expect(metricValue(result, "coldMs")).toBeUndefined();
    expect(result.caveats.join("\n")).toMatch(/stood still during \d+ of 10 messages, for up to \d+\.\d ms/);
    expect(result.caveats.join("\n")).toMatch(/stood still during the first message after connecting, for/);
    expect(result.caveats.join("\n")).toMatch(/stood still during the first message after an idle time, for/);
    expect(result.caveats.join("\n")).toMatch(
      /stood still during \d of 5 bursts of 4 messages, for up to \d+\.\d ms/,
    );
  },
);

test("a suspended tester is named by a load of requests", async () => {
  stoppedAt = [10];
  const size = "--members 8 --senders 3 --online 0.75 -t 1 -c 20 --warmup 0 --connecting 1".split(" ");
  const args = ["group", ...size, "--url", platform.url];
  const outcome = await bench.runProgram(args, "registering", (child) => (tester = child));
  const result = outcome.result as Result;
  expect(metricValue(result, "lost")).toBe(0);
  const [, ms] = /stood still for up to ([\d,]+) ms/.exec(result.caveats.join("\n")) ?? [];
  expect(Number(ms?.replace(",", ""))).toBeGreaterThan(STOP_MS - 100);
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import type { Result } from "../src/report/result.ts";
import { metricValue, metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

test("each stage is what the server counted", { tags: "long" }, async () => {
  const { code, stdout, ...outcome } = await bench.run(
    "stages",
    "--users",
    "25",
    "--in-flight",
    "5",
    "--messages",
    "100",
    "--pulls",
    "80",
    "--pushes",
    "60",
    "--uploads",
    "30",
    "--threshold",
    "lost==0",
  );
  const result = outcome.result as Result;
  expect(code).toBe(0);
  const counts = {
    sent: 100,
    acknowledged: 100,
    expected: 2500,
    received: 2500,
    pulls: 80,
    pushes: 60,
    uploads: 30,
  };
  expect(metricValues(result, Object.keys(counts))).toEqual(counts);
  const times = (stage: string) => metricValue(result, "times", { stage });
  expect(times("send")).toBe(100);
  expect(times("pull")).toBe(80);
  expect(times("offline push")).toBe(60);
  expect(times("upload")).toBe(30);
  for (const stage of ["send", "distribute", "notify", "pull", "upload"])
    expect(metricValue(result, "stageMs", { stage })).toBeGreaterThan(0);
  // Several messages share one write.
  expect(times("distribute")).toBeLessThanOrEqual(100);
  expect(times("push")).toBeGreaterThan(0);
  expect(stdout).toMatch(/^ {2}deliveries expected +2,500$/m);
  expect(stdout).toMatch(/^ {2}deliveries received +2,500$/m);
  expect(await bench.leftovers()).toEqual([]);
});

test("Ctrl-C while messages are sent says nothing about losses", { tags: "long" }, async () => {
  const args = ["stages", "--users", "25", "--messages", "100000", "--in-flight", "1"];
  const { code, stdout, result } = await bench.runProgram(args, /sending messages [1-9]/, (child) =>
    child.kill("SIGINT"),
  );
  expect(code).toBe(105);
  expect(stdout).not.toMatch("lost");
  expect(metricValue(result as Result, "sent")).toBeGreaterThan(0);
});

test("Ctrl-C while members connect shows the progress", { tags: "long" }, async () => {
  const outcome = await bench.runProgram(["stages", "--users", "2000"], "connecting 0/2,000", (child) =>
    child.kill("SIGINT"),
  );
  expect(outcome.code).toBe(105);
  expect(outcome.stdout).toMatch("Interrupted: partial result");
  const result = outcome.result as Result;
  expect(result.meta.interrupted).toBe(true);
  expect(result.metrics.filter(({ labels }) => "stage" in labels)).toEqual([]);
  expect(metricValues(result, ["sent", "expected"])).toEqual({ sent: 0, expected: 0 });
  const [, online] = /([\d,]+) of 2,000 members online/.exec(outcome.stdout)!;
  expect(Number(online!.replaceAll(",", ""))).toBeLessThan(2000);
  expect(await bench.leftovers()).toEqual([]);
});

test("a running server requires the address of its metrics", async () => {
  await expect(runCli(["stages", "--url", "http://127.0.0.1:9"])).rejects.toThrow(
    "--url requires --metrics-url",
  );
});

test("a running server doesn't push to this machine", async () => {
  const args = ["--url", "http://127.0.0.1:9", "--metrics-url", "http://127.0.0.1:9/metrics"];
  await expect(runCli(["stages", ...args, "--pushes", "1"])).rejects.toThrow(
    "--pushes can't be measured with --url",
  );
});

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

const SMALL = ["--users", "20", "--channels", "30", "--warmup", "10"];

test("every acknowledged message is in the database at once", { tags: "long" }, async () => {
  const { code, stdout, ...outcome } = await bench.run(
    "http",
    ...SMALL,
    "--connections",
    "20",
    "--count",
    "400",
    "--threshold",
    "unstored==0",
    "--threshold",
    "refused==0",
    "--threshold",
    "unanswered==0",
  );
  const result = outcome.result as Result;
  expect(code).toBe(0);
  const counts = { sent: 400, acknowledged: 400, refused: 0, unanswered: 0, stored: 400, unstored: 0 };
  expect(metricValues(result, Object.keys(counts))).toEqual(counts);
  expect(result.tables[0]!.rows.map(([percent]) => Number.parseInt(percent!, 10))).toEqual([
    50, 66, 75, 80, 90, 95, 98, 99, 100,
  ]);
  expect(metricValue(result, "bytesPerMillion")).toEqual(expect.any(Number));
  expect(stdout).toMatch("Percentage of the requests served within a certain time (ms)");
  expect(stdout).toMatch(/^ {2}100% +\d+(\.\d)?$/m);
  expect(await bench.leftovers()).toEqual([]);
});

test("Ctrl-C prints the partial result, and leaves nothing behind", { tags: "long" }, async () => {
  const args = ["http", ...SMALL, "--connections", "10", "-c", "5000000"];
  const { code, stdout } = await bench.runProgram(args, "measuring", (child) => child.kill("SIGINT"));
  expect(code).toBe(105);
  expect(stdout).toMatch("Interrupted: partial result");
  expect(stdout).toMatch(/^ {2}acknowledged +[\d,]+$/m);
  expect(stdout).toMatch("What is stored was not counted.");
  expect(await bench.leftovers()).toEqual([]);
});

test.each([
  [["--connections", "10", "--count", "5"], "--connections 10 needs at least as many requests (--count)"],
  [["--target", "tailchat"], "--target tailchat: this command only measures fanfare"],
  [["--users", "1"], "--users must be an integer from 2"],
])("wrong usage is reported: %j", async (args, message) => {
  await expect(runCli(["http", ...args])).rejects.toMatchObject({
    code: 64,
    message: expect.stringContaining(message),
  });
});

test("connection refused", async () => {
  const error = await runCli(["http", "--url", "http://127.0.0.1:9"]).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 2, message: expect.stringContaining("ECONNREFUSED") });
  expect(error).toMatchObject({
    message: expect.stringContaining("start the server first, or omit --url"),
  });
});

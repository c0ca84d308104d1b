import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../src/cli.ts";
import type { StagesResult } from "../src/report/result.ts";
import { Bench } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

test("each stage is what the server counted", async () => {
  const { code, stdout, ...outcome } = await bench.run(
    "stages",
    "--users",
    "25",
    "--senders",
    "5",
    "--messages",
    "100",
    "--pulls",
    "80",
    "--threshold",
    "lost==0",
  );
  const result = outcome.result as StagesResult;
  expect(code).toBe(0);
  expect(result.counts).toEqual({
    sent: 100,
    acknowledged: 100,
    expected: 2500,
    received: 2500,
    pulls: 80,
  });
  const { send, distribute, notify, push, pull } = Object.fromEntries(
    result.rows.map((row) => [row.stage, row]),
  );
  expect(send).toMatchObject({ count: 100 });
  expect(pull).toMatchObject({ count: 80 });
  for (const row of [send, distribute, notify, pull]) expect(row!.meanMs).toBeGreaterThan(0);
  // Several messages share one write.
  expect(distribute!.count).toBeLessThanOrEqual(100);
  expect(push!.count).toBeGreaterThan(0);
  expect(stdout).toMatch("2,500 of 2,500 deliveries");
  expect(await bench.leftovers()).toEqual([]);
});

test("Ctrl-C while members connect shows the progress", { tags: "long" }, async () => {
  const outcome = await bench.runAndAct(["stages", "--users", "2000"], "connecting 0/2,000", (child) =>
    child.kill("SIGINT"),
  );
  expect(outcome.code).toBe(105);
  expect(outcome.stdout).toMatch(/Stages of a message · [\d,]+ of 2,000 members online/);
  expect(outcome.stdout).toMatch("Interrupted: partial result.");
  const result = outcome.result as StagesResult;
  expect(result).toMatchObject({ interrupted: true, rows: [], counts: { sent: 0, expected: 0 } });
  expect(result.online).toBeLessThan(2000);
  expect(await bench.leftovers()).toEqual([]);
});

test("a running server requires the address of its metrics", async () => {
  await expect(runCli(["stages", "--url", "http://127.0.0.1:9"])).rejects.toThrow(
    "--url requires --metrics-url",
  );
});

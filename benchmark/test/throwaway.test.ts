import { expect, onTestFinished, test } from "vitest";
import type { Result } from "../src/report/result.ts";
import { metricValues } from "./metric-value.ts";
import { Bench } from "./run-bench.ts";

test("an instance is started, measured and removed", { tags: "long" }, async () => {
  const bench = await Bench.open();
  onTestFinished(() => bench.close());
  const { code, stdout, result } = await bench.run(
    "broadcast",
    "--users",
    "30",
    "--idle",
    "100ms",
    "--burst",
    "20",
  );
  expect(code).toBe(0);
  expect(stdout).toMatch("Broadcast to 30 members\nfanfare, started for this run");
  expect(stdout).toMatch("lost 0 · duplicates 0 · out of order 0");
  const names = ["sent", "acknowledged", "stored", "expected", "received"];
  const counts = { sent: 84, acknowledged: 84, stored: 84, expected: 2520, received: 2520 };
  expect(metricValues(result as Result, names)).toEqual(counts);
  expect(stdout).toMatch(/^ +when .*all online, idle.*\n +memory \(RSS\)( +[\d,.]+ MiB){4}$/m);
  expect(await bench.leftovers()).toEqual([]);
});

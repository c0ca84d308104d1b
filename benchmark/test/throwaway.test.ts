import { expect, onTestFinished, test } from "vitest";
import { Bench } from "./run-bench.ts";

test("an instance is started, measured and removed", { tags: "long" }, async () => {
  const bench = await Bench.open();
  onTestFinished(() => bench.close());
  const { code, stdout } = await bench.run("broadcast", "--users", "30", "--idle", "100", "--burst", "20");
  expect(code).toBe(0);
  expect(stdout).toMatch("Broadcast to 30 users · fanfare, started for this run");
  expect(stdout).toMatch("lost 0 · duplicates 0 · out of order 0");
  expect(stdout).toMatch("84 sent · 84 acknowledged · 84 stored · 2,520 of 2,520 deliveries received");
  expect(stdout).toMatch(/all online, idle +[\d,]+ MiB/);
  expect(await bench.leftovers()).toEqual([]);
});

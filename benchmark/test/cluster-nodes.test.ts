import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../src/cli.ts";
import type { ClusterNodesResult } from "../src/report/result.ts";
import { Bench, cannotCluster } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** Two clusters, one after the other, are some twenty processes that start. */
const LONG = { timeout: 150_000 };
const SMALL = ["--count", "300", "--in-flight", "6", "--receivers", "3"];

describe.skipIf(cannotCluster)("clusters of their own", () => {
  test("the same load on one and on two nodes", { ...LONG, tags: "long" }, async () => {
    const html = join(bench.folder, "nodes.html");
    const thresholds = ["lost==0", "unstored==0", "perSecondAt2>1"].flatMap((t) => ["--threshold", t]);
    const { code, stdout, stderr, ...outcome } = await bench.run(
      "cluster",
      "--nodes",
      "1,2",
      ...SMALL,
      "--html",
      html,
      ...thresholds,
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const result = outcome.result as ClusterNodesResult;
    expect(
      result.passes.map(({ nodes, target, counts }) => [nodes, target.url.split(", ").length, counts.stored]),
    ).toEqual([
      [1, 1, 300],
      [2, 2, 300],
    ]);
    for (const { counts, scene } of result.passes) {
      // Each message is delivered to its receiver and back to its sender.
      expect(counts).toMatchObject({ acknowledged: 300, expected: 600, received: 600, duplicates: 0 });
      expect(scene).toMatchObject({ users: 9, senders: 6, online: 9, channels: 18 });
    }
    const [one, two] = result.rows;
    expect(two!.efficiency).toBeCloseTo(two!.acknowledgedPerSecond! / (2 * one!.acknowledgedPerSecond!), 6);
    expect(one!.acknowledgedPerCpuSecond).toBeGreaterThan(0);
    expect(stdout).toMatch(/^ {2}1 .*1\.00 × +0 +0$/m);
    expect(stdout).toMatch(/^ {2}2 .* × +0 +0$/m);
    expect(stdout).toMatch(`shared the ${result.cores} core`);
    expect(await readFile(html, "utf8")).toMatch("The same load on up to 2 nodes");

    const file = join(bench.folder, "kept.json");
    await writeFile(file, JSON.stringify(result));
    const report = await bench.runPlain("report", file);
    expect(report.stdout).toMatch(/^ {2}2 .* × +0 +0$/m);
    const compared = await bench.runPlain("compare", file, file);
    expect(compared.stdout).toMatch("cluster-nodes, 2 nodes");
    expect(await bench.leftovers()).toEqual(["kept.json", "nodes.html"]);
  });

  test("a failed threshold exits with 99, even without one node to compare with", LONG, async () => {
    const args = ["cluster", "--nodes", "2", ...SMALL, "--threshold", "efficiencyAt2>0.1"];
    const { code, stdout, result } = await bench.run(...args);
    expect(code).toBe(99);
    expect(stdout).toMatch("FAILED  efficiencyAt2>0.1");
    expect((result as ClusterNodesResult).rows[0]!.efficiency).toBeNull();
  });
});

test.each([
  [["cluster", "--nodes", "1,2", "--gateways", "1"], "--nodes and --gateways are mutually exclusive"],
  [["cluster", "--nodes", "1,2", "--beside", "ws"], "--nodes and --beside are mutually exclusive"],
  [["cluster", "--gateways", "1", "--count", "10"], "Without --nodes there is no --count"],
  [["cluster", "--nodes", "1,x"], "--nodes must be an integer from 1 to 16"],
  [["cluster", "--nodes", "2,2"], "--nodes has a duplicate"],
  [["cluster", "--nodes", "1,2", "--threshold", "efficiencyAt3>1"], "unknown metric efficiencyAt3"],
  [["suite", "--list", "--skip", "nope"], "--skip: unknown nope"],
  [["suite", "--list", "--only", "connect", "--skip", "connect"], "has none of these rows"],
])("wrong usage is reported: %j", async (args, message) => {
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});

test("a suite can leave rows out", async () => {
  const { stdout } = await bench.runPlain("suite", "--list", "--profile", "full", "--skip", "connect,storm");
  const names = stdout.split("\n").filter((line) => /^\S/.test(line));
  expect(names).toContain("cluster-nodes");
  expect(names).toContain("connect-500");
  expect(names).not.toContain("connect");
  expect(names).not.toContain("storm");
});

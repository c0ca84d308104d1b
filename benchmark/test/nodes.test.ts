import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../src/cli/commands.ts";
import type { Result } from "../src/report/result.ts";
import { metricValue, metricValues } from "./metric-value.ts";
import { Bench, cannotCluster } from "./run-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

/** Two clusters, one after the other, are some twenty processes that start. */
const LONG = { timeout: 600_000 };
const SMALL = ["--count", "300", "--in-flight", "6", "--receivers", "3"];

describe.skipIf(cannotCluster)("clusters of their own", () => {
  test("the same load on one and on two nodes", { ...LONG, tags: "long" }, async () => {
    const html = join(bench.folder, "nodes.html");
    const thresholds = ["lost==0", "unstored==0", "acknowledgedPerSecond[nodes=2]>1"].flatMap((t) => [
      "--threshold",
      t,
    ]);
    const { code, stdout, stderr, ...outcome } = await bench.run(
      "nodes",
      "--nodes",
      "1,2",
      ...SMALL,
      "--html",
      html,
      ...thresholds,
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const result = outcome.result as Result;
    const clusters = result.tables.find(({ label }) => label === "Clusters")!;
    expect(clusters.rows.map(([name, urls]) => [name, urls!.split(", ").length])).toEqual([
      ["1 node", 1],
      ["2 nodes", 2],
    ]);
    expect(result.meta.subtitle).toContain("6 senders, 3 receivers, all online, 18 direct channels");
    for (const nodes of [1, 2]) {
      // Each message is delivered to its receiver and back to its sender.
      const counts = { acknowledged: 300, stored: 300, expected: 600, received: 600, duplicates: 0 };
      expect(metricValues(result, Object.keys(counts), { nodes })).toEqual(counts);
    }
    const at = (name: string, nodes: number) => metricValue(result, name, { nodes })!;
    const [one, two] = [at("acknowledgedPerSecond", 1), at("acknowledgedPerSecond", 2)];
    expect(at("scalingEfficiency", 2)).toBeCloseTo(two / (2 * one), 6);
    expect(at("acknowledgedPerCpuSecond", 1)).toBeGreaterThan(0);
    expect(stdout).toMatch(/^ {2}scaling efficiency +1\.00 × +\d+\.\d\d ×$/m);
    expect(stdout).toMatch(/^ {2}lost +0 +0$/m);
    expect(stdout).toMatch(/^ {2}acknowledged but not persisted +0 +0$/m);
    expect(stdout).toMatch(`shared the ${result.meta.environment.cores} core`);
    expect(await readFile(html, "utf8")).toMatch("The same load on up to 2 nodes");

    const file = join(bench.folder, "kept.json");
    await writeFile(file, JSON.stringify(result));
    const report = await bench.runPlain("report", file);
    expect(report.stdout).toMatch(/^ {2}scaling efficiency +1\.00 × +\d+\.\d\d ×$/m);
    const compared = await bench.runPlain("compare", file, file);
    expect(compared.stdout).toMatch("nodes, nodes 2");
    expect(compared.stdout).toMatch(/^ {2}scaling efficiency /m);
    expect(await bench.leftovers()).toEqual(["kept.json", "nodes.html"]);
  });

  test(
    "a failed threshold exits with 99, even without one node to compare with",
    { ...LONG, tags: "long" },
    async () => {
      const args = ["nodes", "--nodes", "2", ...SMALL, "--threshold", "scalingEfficiency[nodes=2]>0.1"];
      const { code, stdout, result } = await bench.run(...args);
      expect(code).toBe(99);
      expect(stdout).toMatch("FAILED  scalingEfficiency[nodes=2]>0.1  (not measured)");
      expect(metricValue(result as Result, "scalingEfficiency")).toBeUndefined();
    },
  );
});

test.each([
  [["nodes", "--gateways", "1"], "Unknown argument: gateways"],
  [["nodes", "--beside", "ws"], "Unknown argument: beside"],
  [["cluster", "--count", "10"], "Unknown option: --count"],
  [["nodes", "--nodes", "1,x"], "--nodes must be an integer from 1 to 16"],
  [["nodes", "--nodes", "2,2"], "--nodes has a duplicate"],
  [["nodes", "--nodes", "1,2", "--threshold", "efficiencyAt3>1"], "unknown metric efficiencyAt3"],
  [["suite", "--list", "--only", "nope"], "--only: unknown nope"],
  [["suite", "--list", "--only", "group-50"], "has none of these rows"],
])("wrong usage is reported: %j", async (args, message) => {
  await expect(runCli(args)).rejects.toMatchObject({ code: 64, message: expect.stringContaining(message) });
});

test("a suite can leave rows out", async () => {
  const some = ["--only", "cluster-nodes,connect-500"];
  const { stdout } = await bench.runPlain("suite", "--list", "--profile", "full", ...some);
  const names = stdout.split("\n").filter((line) => /^\S/.test(line));
  expect(names).toContain("cluster-nodes");
  expect(names).toContain("connect-500");
  expect(names).not.toContain("connect");
  expect(names).not.toContain("storm");
});

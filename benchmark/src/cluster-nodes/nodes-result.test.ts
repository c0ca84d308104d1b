import { expect, test } from "vitest";
import { observationsOf } from "../report/observations.ts";
import type { ClusterNodesResult } from "../report/result.ts";
import { nodesMetricNames, nodesMetrics, nodesRows, type NodesPass } from "./nodes-result.ts";

function pass(nodes: number, perSecond: number | null, counts: { lost: number; unstored: number | null }) {
  return {
    nodes,
    rates: { acknowledgedPerSecond: perSecond, acknowledgedPerCpuSecond: 1000 },
    ack: { latencyMs: { p90: 10 * nodes } },
    server: { cores: nodes },
    counts: { duplicates: 0, ...counts },
  } as unknown as NodesPass;
}

const CLEAN = { lost: 0, unstored: 0 };

test("efficiency is computed from medians, and errors are summed", () => {
  const rows = nodesRows([
    pass(1, 1000, CLEAN),
    pass(4, 1500, { lost: 2, unstored: 1 }),
    pass(1, 900, CLEAN),
    pass(4, 2500, { lost: 3, unstored: 0 }),
    pass(1, 5000, CLEAN),
    pass(4, 2000, CLEAN),
  ]);
  expect(rows).toEqual([
    expect.objectContaining({ nodes: 1, acknowledgedPerSecond: 1000, efficiency: 1, lost: 0, unstored: 0 }),
    expect.objectContaining({ nodes: 4, acknowledgedPerSecond: 2000, efficiency: 0.5, lost: 5, unstored: 1 }),
  ]);
  const metrics = nodesMetrics(rows);
  expect(metrics).toMatchObject({ perSecondAt4: 2000, efficiencyAt4: 0.5, p90At4: 40, lost: 5, unstored: 1 });
  expect(Object.keys(metrics).sort()).toEqual(nodesMetricNames([1, 4]).sort());
});

test("unmeasured values stay null", () => {
  expect(nodesRows([pass(2, 1000, CLEAN)])[0]!.efficiency).toBeNull();
  const rows = nodesRows([pass(1, null, { lost: 0, unstored: null }), pass(1, null, CLEAN)]);
  expect(rows[0]).toMatchObject({ acknowledgedPerSecond: null, efficiency: null, unstored: null });
  expect(nodesMetrics(rows)["unstored"]).toBeNull();
});

test("each pass is a separate observation for bench compare", () => {
  const passes = [pass(1, 1000, CLEAN), pass(2, 1400, CLEAN), pass(2, 1600, CLEAN)];
  const result = { command: "cluster-nodes", passes } as unknown as ClusterNodesResult;
  const seen = observationsOf(result).map(({ row, figures }) => [
    row,
    figures.find(({ key }) => key === "scalingEfficiency")!.value,
  ]);
  expect(seen).toEqual([
    ["cluster-nodes, 1 node", 1],
    ["cluster-nodes, 2 nodes", 0.7],
    ["cluster-nodes, 2 nodes", 0.8],
  ]);
});

import { barChart } from "../report/charts/bar-chart.ts";
import type { Block, Document } from "../report/document/document.ts";
import { count, ratio, whole } from "../report/format.ts";
import type { ClusterNodesResult } from "../report/result.ts";
import type { NodesRow } from "./nodes-result.ts";
import { coresLine, loadLine, nodesTable } from "./nodes-summary.ts";

export function nodesDocument(result: ClusterNodesResult): Document {
  const { rows, passes } = result;
  const verdicts = passes.flatMap(({ nodes, generator }) =>
    generator.verdicts.map((verdict) => `${count(nodes, "node")}: ${verdict}`),
  );
  const named = Math.max(0, ...rows.map(({ nodes }) => nodes));
  return {
    title: `The same load on up to ${count(named, "node")}`,
    subtitle: loadLine(result),
    blocks: [
      ...bars("Messages per second", rows, (row) => row.acknowledgedPerSecond, whole),
      ...bars("Messages per server CPU second", rows, (row) => row.acknowledgedPerCpuSecond, whole),
      ...bars("Scaling efficiency: rate(N) ÷ (N × rate(1))", rows, (row) => row.efficiency, ratio),
      { kind: "table", heading: "Figures", rows: nodesTable(result) },
      {
        kind: "notes",
        heading: "Caveats",
        lines: [coresLine(result), ...new Set(verdicts)],
      },
    ],
  };
}

function bars(
  heading: string,
  rows: readonly NodesRow[],
  of: (row: NodesRow) => number | null,
  text: (value: number) => string,
): Block[] {
  const known = rows.flatMap((row) => {
    const value = of(row);
    const label = count(row.nodes, "node");
    return value === null ? [] : [{ label, value, text: text(value), colour: "one" as const }];
  });
  return known.length === 0 ? [] : [{ kind: "chart", heading, svg: barChart(heading, known) }];
}

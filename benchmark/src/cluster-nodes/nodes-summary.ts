import { styleText } from "node:util";
import { published, type PublishedRow } from "../published/published.ts";
import { count, ms, ratio, short, table, whole } from "../report/format.ts";
import type { ClusterNodesResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";

/** What each number of nodes takes, beside what has been published of as many. */
export function nodesSummary(result: ClusterNodesResult): string {
  const { passes, rows } = result;
  const errors = passes.flatMap((pass) => pass.errors);
  const verdicts = passes.flatMap(({ nodes, generator }) =>
    generator.verdicts.map((verdict) => `  ${count(nodes, "node")}: ${verdict}`),
  );
  return [
    styleText("bold", `Cluster · ${loadLine(result)}`),
    ...(result.interrupted
      ? [styleText("yellow", "  Interrupted: what follows is what there was until then.")]
      : []),
    "",
    ...(rows.length === 0 ? [] : [table(nodesTable(result)), ""]),
    ...section(
      "Published",
      publishedMachines(result).map((line) => `  ${line}`),
    ),
    ...section("What to know", [`  ${coresLine(result)}`, ...new Set(verdicts)]),
    ...section("Errors", errors.length === 0 ? [] : [errorTable(errors)]),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

/** "the same load on …": what was sent. */
export function loadLine({ passes }: ClusterNodesResult): string {
  const first = passes[0];
  if (first === undefined) return "nothing was measured";
  const { loop, scene } = first;
  const pace = loop.kind === "closed" ? `, ${whole(loop.inFlight)} on their way at a time` : "";
  return (
    `the same ${whole(loop.requests)} direct messages on each number of nodes${pace}; ` +
    `${count(scene.senders, "sender")}, ${count(scene.users - scene.senders, "receiver")}, all online`
  );
}

export function nodesTable({ rows }: ClusterNodesResult): string[][] {
  const number = (value: number | null | undefined, text = whole) =>
    value === null || value === undefined ? "–" : text(value);
  return [
    [
      "nodes",
      "messages/s",
      "per server CPU second",
      "p90",
      "server's cores",
      "scaling efficiency",
      "lost",
      "not stored",
      "published messages/s",
      "published efficiency",
    ],
    ...rows.map((row) => {
      const theirs = publishedNodes(row.nodes)?.figures;
      return [
        whole(row.nodes),
        number(row.acknowledgedPerSecond),
        number(row.acknowledgedPerCpuSecond),
        ms(row.ackP90Ms),
        number(row.serverCores, short),
        ratio(row.efficiency),
        whole(row.lost),
        number(row.unstored),
        number(theirs?.["acknowledgedPerSecond"] as number | undefined),
        ratio(theirs?.["scalingEfficiency"] as number | undefined),
      ];
    }),
  ];
}

/** By whom, and on what. */
export function publishedMachines({ rows }: ClusterNodesResult): string[] {
  const theirs = rows.flatMap(({ nodes }) => publishedNodes(nodes) ?? []);
  return [...new Set(theirs.map(({ product, hardware }) => `${product}; its machines: ${hardware}`))];
}

export function coresLine({ cores }: ClusterNodesResult): string {
  return (
    `All nodes, NATS, Redis, the database and the tester shared the ${count(cores, "core")} of this machine, and those who have ` +
    "published had a machine for each node: here a node more brings no core more, so the messages per server CPU second say " +
    "what a node costs, and the efficiency here is lower than it would be there."
  );
}

function publishedNodes(nodes: number): PublishedRow | undefined {
  return published(`wildfire-cluster-${nodes}`);
}

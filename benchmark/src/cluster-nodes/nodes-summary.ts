import { styleText } from "node:util";
import { count, ms, ratio, short, table, whole } from "../report/format.ts";
import type { ClusterNodesResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";

/** One row for each number of nodes. */
export function nodesSummary(result: ClusterNodesResult): string {
  const { passes, rows } = result;
  const errors = passes.flatMap((pass) => pass.errors);
  const verdicts = passes.flatMap(({ nodes, generator }) =>
    generator.verdicts.map((verdict) => `  ${count(nodes, "node")}: ${verdict}`),
  );
  return [
    styleText("bold", `Cluster · ${loadLine(result)}`),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    ...(rows.length === 0 ? [] : [table(nodesTable(result)), ""]),
    ...section("Caveats", [`  ${coresLine(result)}`, ...new Set(verdicts)]),
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
  const pace = loop.kind === "closed" ? `, concurrency ${whole(loop.inFlight)}` : "";
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
      "server cores",
      "scaling efficiency",
      "lost",
      "not persisted",
    ],
    ...rows.map((row) => [
      whole(row.nodes),
      number(row.acknowledgedPerSecond),
      number(row.acknowledgedPerCpuSecond),
      ms(row.ackP90Ms),
      number(row.serverCores, short),
      ratio(row.efficiency),
      whole(row.lost),
      number(row.unstored),
    ]),
  ];
}

export function coresLine({ cores }: ClusterNodesResult): string {
  return (
    `All nodes, NATS, Redis, the database and the tester shared the ${count(cores, "core")} of this machine. An extra node adds no ` +
    "core here, so compare messages per server CPU second; the efficiency would be higher with a machine per node."
  );
}

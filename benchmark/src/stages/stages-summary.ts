import { styleText } from "node:util";
import { ms, table, whole } from "../report/format.ts";
import type { StagesResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";

/** Each stage with its time and its rate, in the order in which a message passes them. */
export function stagesSummary(result: StagesResult): string {
  const { senders, counts, rows } = result;
  const perSecond = (value: number | null) => (value === null ? "–" : whole(value));
  const header = ["", "times", "per second", "per server CPU second", "mean", "99 % below"];
  const lines = rows.map((row) => [
    row.stage,
    whole(row.count),
    perSecond(row.perSecond),
    perSecond(row.perCpuSecond),
    ms(row.meanMs),
    ms(row.p99BelowMs),
  ]);
  const isClean = counts.received === counts.expected;
  return [
    styleText(
      "bold",
      `Stages of a message · ${onlineText(result)} members online in one group, concurrency ${whole(senders)}`,
    ),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    styleText(
      isClean ? "green" : "red",
      `  ${whole(counts.sent)} sent · ${whole(counts.acknowledged)} acknowledged · ` +
        `${whole(counts.received)} of ${whole(counts.expected)} deliveries · ${whole(counts.pulls)} pulls`,
    ),
    "",
    ...(rows.length > 0 ? [table([header, ...lines]), ""] : []),
    ...section(
      "What is timed, by the server's own metrics",
      rows.map(({ stage, what, metric }) => `  ${stage.padEnd(10)}  ${what} (${metric})`),
    ),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function onlineText({ users, online = users }: StagesResult): string {
  return online === users ? whole(users) : `${whole(online)} of ${whole(users)}`;
}

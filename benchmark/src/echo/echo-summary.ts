import { styleText } from "node:util";
import { ms, ratio, table, whole } from "../report/format.ts";
import type { EchoResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";
import type { EchoRow } from "./echo-result.ts";

const BUSY = 0.9;

/** Each server at each concurrency, side by side. */
export function echoSummary(result: EchoResult): string {
  const { rows, missing } = result;
  return [
    styleText("bold", `Echo of ${result.bytes} bytes by HTTP with keep-alive · one thread per server`),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    echoTable(rows),
    "",
    ...section("Caveats", [
      ...missing.map((name) => `  ${name} is not installed and not in the table.`),
      ...busyLines(rows),
    ]),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function echoTable(rows: readonly EchoRow[]): string {
  const header = [
    "concurrency",
    "server",
    "per second",
    "÷ nginx",
    "per CPU second",
    "p50",
    "p99",
    "p100",
    "failed",
  ];
  const lines = rows.map((row) => {
    const nginx = rows.find(
      ({ server, concurrency }) => server === "nginx" && concurrency === row.concurrency,
    );
    return [
      whole(row.concurrency),
      row.server,
      row.perSecond === null ? "–" : whole(row.perSecond),
      ratio(row.perSecond !== null && nginx?.perSecond ? row.perSecond / nginx.perSecond : null),
      row.perCpuSecond === null ? "–" : whole(row.perCpuSecond),
      ms(row.latencyMs?.p50),
      ms(row.latencyMs?.p99),
      ms(row.latencyMs?.p100),
      whole(row.failed),
    ];
  });
  return table([header, ...lines]);
}

function busyLines(rows: readonly EchoRow[]): string[] {
  const busy = rows.filter(({ testerBusy }) => testerBusy > BUSY);
  if (busy.length === 0) return [];
  const names = [...new Set(busy.map(({ server }) => server))].join(", ");
  return [
    styleText("yellow", `  The tester's own thread was the bottleneck in ${busy.length} rows (${names}): `) +
      "the server can do more than shown, so compare its rate per CPU second.",
  ];
}

import { styleText } from "node:util";
import { count, kib, ms, ratio, short, table, whole } from "./format.ts";
import { verdictLines } from "./limits-summary.ts";
import type { ClusterResult, ClusterRow } from "./result.ts";
import { errorTable, section, thresholdLines } from "./summary.ts";

/** What each number of gateways achieves, and what it costs. */
export function clusterSummary(result: ClusterResult): string {
  const turns = Math.max(0, ...result.rows.map((row) => turnsOf(result, row.label)));
  const errors = result.passes.flatMap((pass) => pass.errors);
  return [
    styleText(
      "bold",
      `Cluster · the same ${whole(result.users)} users everywhere · ${count(turns, "pass", "passes")} each`,
    ),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    ...section("Figures (medians of the passes, except worst and best)", [figureTable(result.rows)]),
    ...section("Gateways without members", idleLines(result.rows)),
    ...section(
      "Caveats",
      verdictLines(result.passes.map((pass) => ({ name: pass.label, verdicts: pass.generator.verdicts }))),
    ),
    ...section("Errors", errors.length === 0 ? [] : [errorTable(errors)]),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function turnsOf({ passes }: ClusterResult, label: string): number {
  return passes.filter((pass) => pass.label === label).length;
}

function figureTable(rows: readonly ClusterRow[]): string {
  const line = (label: string, of: (row: ClusterRow) => string) => [label, ...rows.map(of)];
  const number = (value: number | null | undefined, text = whole) =>
    value === null || value === undefined ? "–" : text(value);
  const bursts = rows[0]?.bursts ?? [];
  return table([
    line("", (row) => row.label),
    line("worst message, time to the last member", (row) => ms(row.worstMs)),
    line("worst message ÷ bare socket.io", (row) => ratio(row.worstVsSocketIo)),
    line("median message", (row) => ms(row.medianMs)),
    line("median message ÷ bare socket.io", (row) => ratio(row.medianVsSocketIo)),
    line("best message", (row) => ms(row.bestMs)),
    line("first message after connecting", (row) => ms(row.firstMs)),
    line("first message after an idle time", (row) => ms(row.coldMs)),
    ...bursts.flatMap(({ messages }, i) => [
      line(`burst of ${messages}: full delivery`, (row) => ms(row.bursts[i]?.allMs)),
      line(`burst of ${messages}: deliveries/s`, (row) => number(row.bursts[i]?.deliveriesPerSecond)),
      line(`burst of ${messages}: deliveries per CPU second`, (row) =>
        number(row.bursts[i]?.deliveriesPerCpuSecond),
      ),
    ]),
    line("server CPU per delivery, all processes", (row) =>
      row.cpuMicrosecondsPerDelivery === null ? "–" : `${short(row.cpuMicrosecondsPerDelivery)} µs`,
    ),
    ...kindsOf(rows).map((kind) =>
      line(`CPU per message: ${kind}`, (row) => ms(row.cpuMsPerMessageByKind?.[kind])),
    ),
    line("NATS messages per broadcast: to gateways", (row) => number(row.natsPerMessage?.rooms, short)),
    line("                             calls", (row) => number(row.natsPerMessage?.calls, short)),
    line("connections", (row) =>
      row.connectsPerSecond === null ? "–" : `${whole(row.connectsPerSecond)}/s`,
    ),
    line("memory per connection", (row) => kib(row.rssPerConnectionBytes)),
    line("lost", (row) => whole(row.lost)),
  ]);
}

function kindsOf(rows: readonly ClusterRow[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row.cpuMsPerMessageByKind ?? {})))];
}

function idleLines(rows: readonly ClusterRow[]): string[] {
  const most = Math.max(0, ...rows.map((row) => row.gateways ?? 0));
  const withIdle = rows.filter((row) => row.natsPerMessage !== null && row.gateways! < most);
  return withIdle.map((row) => {
    const received = row.natsPerMessage!.toIdleGateways;
    const line = `  ${row.label}: the other ${most - row.gateways!} received ${whole(received)} messages`;
    return styleText(received === 0 ? "green" : "red", line);
  });
}

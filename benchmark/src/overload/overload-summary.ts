import { styleText } from "node:util";
import { PERCENTILES, type Percentiles } from "../measure/percentiles.ts";
import { clusterName, count, duration, mib, ms, short, table, whole } from "../report/format.ts";
import type { OverloadResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";
import type { OverloadMeasurement } from "./overload-result.ts";

const CHART_COLUMNS = 12;

/** First whether the overload was survived, then its details. */
export function overloadSummary(result: OverloadResult): string {
  const { users, senders, stalled } = result;
  return [
    styleText(
      "bold",
      `Overload · ${whole(users)} receiving users, ${whole(senders)} senders` +
        (stalled > 0 ? `, ${stalled} with a hung client` : "") +
        ` · ${clusterName(result)}`,
    ),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    ...headline(result),
    "",
    ...section("Capacity (closed loop)", capacityLines(result)),
    ...section("Overload, from the intended sending", overloadLines(result)),
    ...section("Memory of the services", memoryLines(result)),
    ...section("Tester", testerLines(result)),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function headline({ counts, recovery, verdicts, interrupted }: OverloadResult): string[] {
  const normal =
    recovery.normalAfterMs === null ? "not observed" : `after ${duration(recovery.normalAfterMs)}`;
  const stored = counts.stored === null ? "stored not counted" : `${whole(counts.stored)} stored`;
  return [
    `  ${whole(counts.acknowledged)} acknowledged · ${stored} · acknowledged but not persisted ` +
      `${counts.unstored === null ? "not counted" : whole(counts.unstored)} · lost ${whole(counts.lost)} · ` +
      `normal again ${normal}`,
    ...verdicts.map((verdict) => styleText("red", `  ${verdict}`)),
    ...(verdicts.length === 0 && !interrupted ? [styleText("green", "  The overload was survived.")] : []),
  ];
}

function capacityLines({ capacity }: OverloadMeasurement): string[] {
  if (capacity.steps.length === 0) return capacity.perSecond === null ? [] : ["  as given"];
  const rows = capacity.steps.map(({ inFlight, perSecond, ackMs }) => [
    `concurrency ${inFlight}`,
    `${whole(perSecond)}/s`,
    ms(ackMs?.p50),
    ms(ackMs?.p99),
    ms(ackMs?.p100),
  ]);
  return [table([["", "acknowledged", "p50", "p99", "p100"], ...rows])];
}

function overloadLines({ overload, baseline, recovery }: OverloadMeasurement): string[] {
  if (overload.offeredPerSecond === null) return [];
  const percentileRow = (label: string, values: Percentiles | null) => [
    label,
    ...PERCENTILES.map((p) => (values ? short(values[`p${p}`]) : "–")),
  ];
  const codes = Object.entries(overload.refusalsByCode).map(([code, times]) => `${code} ${whole(times)}`);
  return [
    `  ${whole(overload.offeredPerSecond)}/s offered for ${duration(overload.durationMs)}: ` +
      `${whole(overload.intended)} messages`,
    `  ${whole(overload.acknowledged)} acknowledged (${whole(overload.acknowledgedPerSecond)}/s) · ` +
      `${whole(overload.refused)} rejected · ${whole(overload.notSent)} not written, the connection was full · ` +
      `${whole(overload.unanswered)} unanswered`,
    ...(codes.length === 0 ? [] : [`  rejections by code: ${codes.join(" · ")}`]),
    table([
      ["ms", ...PERCENTILES.map((p) => `p${p}`)],
      percentileRow("acknowledged", overload.ackMs),
      percentileRow("refused", overload.refusedMs),
    ]),
    `  full delivery of an acknowledged message took at most ${ms(overload.deliveredMaxMs)}`,
    `  the servers used ${overload.serverCores === null ? "–" : short(overload.serverCores)} cores` +
      cpuPerMessage(overload),
    `  before: acknowledged within ${ms(baseline.ackMaxMs)}, delivered within ${ms(baseline.deliveredMaxMs)}; ` +
      `normal is up to ${ms(recovery.ackLimitMs)} and ${ms(recovery.deliveredLimitMs)}`,
  ];
}

function cpuPerMessage({ cpuSecondsByKind, acknowledged }: OverloadMeasurement["overload"]): string {
  const kinds = Object.entries(cpuSecondsByKind);
  if (kinds.length === 0 || acknowledged === 0) return "";
  const each = kinds.map(([kind, seconds]) => `${kind} ${short((seconds / acknowledged) * 1e6)} µs`);
  return `; CPU per acknowledged message: ${each.join(" · ")}`;
}

function memoryLines({ memory }: OverloadMeasurement): string[] {
  const { samples } = memory;
  if (samples.length === 0) return [];
  const step = Math.max(1, Math.ceil(samples.length / CHART_COLUMNS));
  const shown = samples.filter((_, i) => i % step === 0);
  return [
    `  RSS ${mib(memory.beforeBytes)} before · ${mib(memory.peakBytes)} maximum · ` +
      `grew by ${mib(memory.growthBytes)} between the second and the last quarter of the overload`,
    table([
      ["s", ...shown.map(({ atMs }) => String(Math.round(atMs / 1000)))],
      ["MiB", ...shown.map(({ servicesBytes }) => whole(servicesBytes / 1024 / 1024))],
    ]),
    `  database, which keeps documents in memory: ${mib(memory.databaseBeforeBytes)} before, ` +
      `${mib(memory.databaseAfterBytes)} after`,
  ];
}

function testerLines({ tester, counts }: OverloadMeasurement): string[] {
  const percent = (share: number | null) => (share === null ? "–" : `${Math.round(share * 100)} %`);
  return [
    `  sending thread busy ${percent(tester.senderBusy)}, late by at most ${ms(tester.sentLateMs)} · ` +
      `busiest receiving thread ${percent(tester.receiverBusy)}`,
    `  ${count(counts.disturbed, "receiver")} told to resync or disconnected, which needn't get every message`,
  ];
}

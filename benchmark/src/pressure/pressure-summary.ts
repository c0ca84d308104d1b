import { styleText } from "node:util";
import { count, duration, mib, ms, short, table, whole } from "../report/format.ts";
import type { PressureResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";
import type { OperationResult, PressurePhase } from "./pressure-result.ts";

/** First the goals that were missed, then each phase. */
export function pressureSummary(result: PressureResult): string {
  const { kind, users, gatewayThreads, verdicts, memory, memoryGrowthBytes } = result;
  const title =
    kind === "reads"
      ? `Hostile reads · up to ${users} guests from one address`
      : `Mixed overload · ${whole(users)} users`;
  return [
    styleText("bold", `${title} · one instance, ${count(gatewayThreads, "gateway thread")}`),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    ...(kind === "mixed" ? [mixedLine(result)] : []),
    `  services ${mib(memory.beforeBytes)} before, ${mib(memory.peakBytes)} maximum: grew by ${mib(memoryGrowthBytes)}`,
    ...verdicts.map((verdict) => styleText("red", `  ${verdict}`)),
    ...(verdicts.length === 0 && !result.interrupted ? [styleText("green", "  All goals were met.")] : []),
    "",
    ...result.phases.flatMap((phase) => section(phaseTitle(phase), [phaseTable(phase), phaseLine(phase)])),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function mixedLine({ peakPerSecond, goodputShare, recoveredAfterMs }: PressureResult): string {
  const recovered = recoveredAfterMs === null ? "not observed" : `after ${duration(recoveredAfterMs)}`;
  const share = goodputShare === null ? "–" : `${Math.round(goodputShare * 100)} %`;
  return `  capacity ${whole(peakPerSecond ?? 0)}/s · under overload ${share} of it succeeded · recovered ${recovered}`;
}

function phaseTitle({ name, durationMs, offeredPerSecond }: PressurePhase): string {
  const offered = offeredPerSecond === null ? "" : `, ${whole(offeredPerSecond)}/s offered`;
  return `${name}${offered}, ${duration(durationMs)}`;
}

function phaseTable({ load, bystander }: PressurePhase): string {
  const row = (who: string, operation: OperationResult) => [
    `${who}${operation.name}`,
    whole(operation.intended),
    whole(operation.ok),
    whole(operation.intended - operation.ok),
    ms(operation.okMs?.p50),
    ms(operation.okMs?.p99),
    ms(operation.okMs?.p100),
    Object.entries({
      ...operation.refusedByCode,
      "not sent": operation.notSent,
      unanswered: operation.unanswered,
    })
      .filter(([, times]) => times > 0)
      .map(([code, times]) => `${code} ${whole(times)}`)
      .join(" · "),
  ];
  return table([
    ["", "offered", "ok", "failed", "p50", "p99", "p100", "reasons"],
    ...load.map((operation) => row("", operation)),
    ...bystander.map((operation) => row("bystander: ", operation)),
  ]);
}

function phaseLine({
  okPerSecond,
  serverCores,
  generatorCores,
  readyzOverloaded,
  readyzAsked,
}: PressurePhase): string {
  return (
    `  ${whole(okPerSecond)}/s succeeded · servers ${serverCores === null ? "–" : short(serverCores)} cores, ` +
    `load ${short(generatorCores)} · /readyz reported overload ${readyzOverloaded} of ${readyzAsked} times`
  );
}

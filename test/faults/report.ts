import type { Findings } from "./check.ts";
import type { MemoryUse } from "./memory.ts";

export interface FaultResult {
  kind: string;
  target: string;
  /** Milliseconds from the fault until everything was repaired. */
  repairedAfterMs: number;
  /** Milliseconds from the fault until the service worked for all again. */
  backAfterMs: number;
  /** Milliseconds from then until every member saw correct presence. */
  presenceAfterMs: number;
}

export interface Report {
  seed: number;
  durationMs: number;
  faults: readonly FaultResult[];
  findings: Findings;
  /** Failed calls of the members, by call and error. */
  errors: Record<string, number>;
  memory: Record<string, MemoryUse>;
  /** Broken guarantees; empty if all were kept. */
  violations: readonly string[];
  /** Folder of the processes' logs and the evidence, if there are violations. */
  folder: string;
}

const WIDTHS = [8, 20, 9, 32, 26];

/** The report as a table. */
export function formatReport(report: Report): string {
  const rows = [...Map.groupBy(report.faults, ({ kind }) => kind)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, faults]) => row(kind, faults));
  const { findings, errors, memory, violations } = report;
  return [
    `Seed ${report.seed}, ${Math.round(report.durationMs / 1000)} s.`,
    "",
    line([
      "fault",
      "count",
      "recovery, longest",
      "median",
      "recovery after repair, longest",
      "presence delay, longest",
    ]),
    ...rows,
    row("all", report.faults),
    "",
    `Messages acknowledged ${findings.acknowledged}, lost ${findings.lost.length}, duplicated ${findings.duplicated.length}.`,
    `Failed calls: ${list(errors, String)}.`,
    `Memory, first and last quarter, highest: ${list(memory, ({ firstMib, lastMib, highestMib }) => `${firstMib} → ${lastMib}, ${highestMib} MiB`)}.`,
    "",
    violations.length === 0
      ? "All guarantees held."
      : `${violations.length} VIOLATIONS. Logs and evidence: ${report.folder}\n${violations.map((text) => `- ${text.slice(0, 500)}`).join("\n")}`,
  ].join("\n");
}

function row(kind: string, faults: readonly FaultResult[]): string {
  const back = faults.map(({ backAfterMs }) => backAfterMs).toSorted((a, b) => a - b);
  const afterRepair = faults.map(({ backAfterMs, repairedAfterMs }) =>
    Math.max(0, backAfterMs - repairedAfterMs),
  );
  return line([
    kind,
    String(faults.length),
    seconds(Math.max(0, ...back)),
    seconds(back[Math.floor(back.length / 2)] ?? 0),
    seconds(Math.max(0, ...afterRepair)),
    seconds(Math.max(0, ...faults.map(({ presenceAfterMs }) => presenceAfterMs))),
  ]);
}

function line(cells: readonly string[]): string {
  const [kind = "", ...figures] = cells;
  return kind.padEnd(24) + figures.map((figure, index) => figure.padStart(WIDTHS[index]!)).join("");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function list<T>(values: Record<string, T>, format: (value: T) => string): string {
  const parts = Object.entries(values).map(([name, value]) => `${name} ${format(value)}`);
  return parts.length === 0 ? "none" : parts.join("; ");
}

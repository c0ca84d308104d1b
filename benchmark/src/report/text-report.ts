import { styleText } from "node:util";
import { documentOf, type Block, type Tile } from "./document.ts";
import { duration, short, table, whole } from "./format.ts";
import type { ErrorRow, Result } from "./result.ts";
import type { ThresholdResult } from "./thresholds.ts";
import { PROGRAM } from "../cli/exit.ts";

/** A result for a terminal: charts are left out unless they have a text form. */
export function textReport(result: Result): string {
  const { title, subtitle, blocks } = documentOf(result);
  return [
    styleText("bold", title),
    ...(subtitle === "" ? [] : [subtitle]),
    "",
    ...blocks.flatMap(blockLines),
    ...section("Thresholds", thresholdLines(result.thresholds)),
  ]
    .join("\n")
    .trimEnd();
}

/** The text of a run that was interrupted before it had measured anything. */
export function nothingText(
  command: string,
  run: { afterMs: number; last: string; errors: readonly ErrorRow[] },
): string {
  const errors = run.errors.map(({ phase, code, count }) => [`${phase}: ${code}`, whole(count)]);
  return [
    styleText("bold", `${PROGRAM} ${command}`),
    styleText(
      "yellow",
      `  Interrupted after ${duration(run.afterMs)}, ${run.last}: nothing was measured, and no result was written.`,
    ),
    ...(errors.length > 0 ? ["", ...section("Errors", [table(errors)])] : []),
  ]
    .join("\n")
    .trimEnd();
}

export function thresholdLines(thresholds: readonly ThresholdResult[]): string[] {
  return thresholds.map(({ expression, value, passed }) =>
    styleText(
      passed ? "green" : "red",
      `  ${passed ? "passed" : "FAILED"}  ${expression}  (${value === null ? "not measured" : short(value)})`,
    ),
  );
}

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case "tiles":
      return block.tiles.length === 0 ? [] : [...tileLines(block.tiles), ""];
    case "table":
      return section(block.heading, [table(block.rows)]);
    case "notes":
      return section(
        block.heading,
        block.lines.map((line) => styleText("yellow", `  ${line}`)),
      );
    default:
      return block.lines === undefined
        ? []
        : section(
            block.heading,
            block.lines.map((line) => `  ${line}`),
          );
  }
}

/** The first values in bold, and faults in one line. */
function tileLines(tiles: readonly Tile[]): string[] {
  const values = tiles.filter(({ tone }) => tone === undefined);
  const width = Math.max(0, ...values.map(({ value }) => value.length));
  return [
    ...values.map(({ label, value, note }) =>
      `  ${styleText("bold", value.padStart(width))}  ${label}${note === undefined ? "" : ` (${note})`}`.trimEnd(),
    ),
    ...tiles.filter(({ tone }) => tone !== undefined).map(toneLine),
  ];
}

function toneLine({ label, value, tone }: Tile): string {
  const [labels, values] = [label.split(" · "), value.split(" · ")];
  const text = labels.map((one, i) => `${one} ${values[i]}`).join(" · ");
  return styleText(tone === "good" ? "green" : "red", `  ${text}`);
}

export function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [styleText("bold", heading), ...lines, ""];
}

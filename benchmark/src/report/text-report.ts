import { styleText } from "node:util";
import { documentOf, errorRow, type Block, type Tile } from "./document.ts";
import { duration, short, table } from "./format.ts";
import type { ErrorRow, Result } from "./result.ts";
import type { ThresholdResult } from "./thresholds.ts";
import { PROGRAM } from "../cli/exit.ts";

/** A result for a terminal, without its charts. */
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
  { afterMs, last, errors }: { afterMs: number; last: string; errors: readonly ErrorRow[] },
): string {
  const text = `  Interrupted after ${duration(afterMs)}, ${last}: nothing was measured, and no result was written.`;
  return [
    styleText("bold", `${PROGRAM} ${command}`),
    styleText("yellow", text),
    ...(errors.length > 0 ? ["", ...section("Errors", [table(errors.map(errorRow))])] : []),
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
  if (block.kind === "tiles") return block.tiles.length === 0 ? [] : [...tileLines(block.tiles), ""];
  if (block.kind === "table") return section(block.heading, [table(block.rows)]);
  if (block.kind === "chart") return [];
  const lines = block.lines.map((line) => styleText("yellow", `  ${line}`));
  return section(block.heading, lines);
}

/** The first values in bold, and faults in one line. */
function tileLines(tiles: readonly Tile[]): string[] {
  const width = Math.max(0, ...tiles.map(({ value, tone }) => (tone === undefined ? value.length : 0)));
  return tiles.map(({ label, value, note, tone }) => {
    if (tone === undefined) {
      const more = note === undefined ? "" : ` (${note})`;
      return `  ${styleText("bold", value.padStart(width))}  ${label}${more}`.trimEnd();
    }
    const [labels, values] = [label.split(" · "), value.split(" · ")];
    const text = labels.map((one, i) => `${one} ${values[i]}`).join(" · ");
    return styleText(tone === "good" ? "green" : "red", `  ${text}`);
  });
}

export function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [styleText("bold", heading), ...lines, ""];
}

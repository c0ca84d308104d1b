import { nodesSummary } from "../cluster-nodes/nodes-summary.ts";
import { overloadSummary } from "../overload/overload-summary.ts";
import { pressureSummary } from "../pressure/pressure-summary.ts";
import { stormSummary } from "../storm/storm-summary.ts";
import { clusterSummary } from "./cluster-summary.ts";
import { documentOf } from "./document/document-of.ts";
import { table } from "./format.ts";
import { limitsSummary } from "./limits-summary.ts";
import type { Result } from "./result.ts";
import { broadcastSummary, section } from "./summary.ts";
import { sweepSummary } from "./sweep-summary.ts";

/** The output of the command that measured; of other commands, the text of their page. */
export function textReport(result: Result): string {
  switch (result.command) {
    case "broadcast":
      return broadcastSummary(result, { everyRound: true });
    case "limits":
      return limitsSummary(result);
    case "sweep":
      return sweepSummary(result);
    case "cluster":
      return clusterSummary(result);
    case "cluster-nodes":
      return nodesSummary(result);
    case "storm":
      return stormSummary(result);
    case "overload":
      return overloadSummary(result);
    case "pressure":
      return pressureSummary(result);
    default:
      return pageAsText(result);
  }
}

function pageAsText(result: Result): string {
  const { title, subtitle, blocks } = documentOf(result);
  const lines = blocks.flatMap((block) => {
    if (block.kind === "tiles") return [...block.tiles.map(({ label, value }) => `  ${label}: ${value}`), ""];
    if (block.kind === "table") return section(block.heading, [table(block.rows)]);
    return block.kind === "notes"
      ? section(
          block.heading,
          block.lines.map((line) => `  ${line}`),
        )
      : [];
  });
  return [title, subtitle, "", ...lines].join("\n").trimEnd();
}

import { styleText } from "node:util";
import { gatewayThreadsText } from "./environment-line.ts";
import { verdictLines } from "./limits-summary.ts";
import { count, table } from "./format.ts";
import type { SweepResult } from "./result.ts";
import { errorTable, section, thresholdLines } from "./summary.ts";
import { sweepTable } from "./sweep-table.ts";

/** One row for each number of members. */
export function sweepSummary(result: SweepResult): string {
  const { passes, rows } = result;
  const errors = passes.flatMap((pass) => pass.errors);
  const turns = Math.max(1, Math.round(passes.length / Math.max(1, rows.length)));
  return [
    styleText(
      "bold",
      `Sweep · one message to a growing number of members · ${count(turns, "pass", "passes")} each, a new server each time · ${gatewayThreadsText(result.options)}`,
    ),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    ...section("Time to the last member", [
      table(sweepTable(rows)),
      "  worst, median: of the warm messages; first: after connecting; cold: after an idle time; burst: full delivery;",
      "  joined, logged in: members per second; CPU: the server's.",
    ]),
    ...section(
      "Caveats",
      verdictLines(
        passes.map((pass) => ({ name: `${pass.users} members`, verdicts: pass.generator.verdicts })),
      ),
    ),
    ...section("Errors", errors.length === 0 ? [] : [errorTable(errors)]),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

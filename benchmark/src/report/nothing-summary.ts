import { styleText } from "node:util";
import { duration } from "./format.ts";
import { errorTable, section } from "./summary.ts";

/** The summary of a run that was interrupted before it had measured anything. */
export function nothingSummary(
  command: string,
  run: { afterMs: number; last: string | undefined; errors: Parameters<typeof errorTable>[0] },
): string {
  const where = run.last === undefined ? "while the server was started" : `in "${run.last}"`;
  return [
    styleText("bold", `bench ${command}`),
    styleText(
      "yellow",
      `  Interrupted after ${duration(run.afterMs)}, ${where}: nothing was measured, and no result was written.`,
    ),
    ...(run.errors.length > 0 ? ["", ...section("Errors", [errorTable(run.errors)])] : []),
  ]
    .join("\n")
    .trimEnd();
}

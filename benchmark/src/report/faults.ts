import { usageError } from "../cli/exit.ts";
import { FAULT_NAMES, overPasses, type Metric } from "./metric.ts";

/** The faults of a run, with their totals over everything it measured. */
export function faultsIn(metrics: readonly Metric[]): (Metric & { value: number })[] {
  const all = overPasses(metrics).filter(
    ({ counts, value }) => counts === "fault" && value !== null && value > 0,
  );
  return [...Map.groupBy(all, ({ name }) => name).values()].map((same) => ({
    ...same[0]!,
    value: same.reduce((sum, { value }) => sum + value!, 0),
  }));
}

/**
 * Parses the values of --allow.
 * @throws {ExitError} for an unknown fault
 */
export function allowedFaults(values: readonly string[]): string[] {
  const names = values.flatMap((value) => value.split(","));
  const unknown = names.find((name) => name !== "all" && !FAULT_NAMES.some((known) => known === name));
  if (unknown === undefined) return names.includes("all") ? FAULT_NAMES : names;
  throw usageError(
    `--allow ${unknown}: there is no such fault. Write one of ${FAULT_NAMES.join(", ")}, or all.`,
  );
}

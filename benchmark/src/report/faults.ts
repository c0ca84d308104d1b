import { usageError } from "../exit.ts";
import { FAULTS } from "./figures.ts";
import { observationsOf } from "./observations.ts";
import type { Result } from "./result.ts";

export interface Fault {
  key: string;
  label: string;
  value: number;
}

/** The faults of a run, with their totals over all its observations. */
export function faultsOf(result: Result): Fault[] {
  const totals = new Map<string, Fault>();
  for (const { key, label, counts, value } of observationsOf(result).flatMap(({ figures }) => figures)) {
    if (counts !== "fault" || value === null || value === 0) continue;
    totals.set(key, { key, label, value: value + (totals.get(key)?.value ?? 0) });
  }
  return [...totals.values()];
}

/**
 * Parses the values of --allow.
 * @throws {ExitError} for an unknown fault
 */
export function allowedFaults(values: readonly string[]): string[] {
  const names = values.flatMap((value) => value.split(","));
  const unknown = names.find((name) => name !== "all" && !FAULTS.includes(name));
  if (unknown === undefined) return names.includes("all") ? FAULTS : names;
  throw usageError(`--allow ${unknown}: there is no such fault. Write one of ${FAULTS.join(", ")}, or all.`);
}

import { usageError } from "../exit.ts";
import { FAULTS, type Figure } from "./figures.ts";
import { observationsOf } from "./observations.ts";
import type { Result } from "./result.ts";

export interface Fault {
  key: string;
  label: string;
  value: number;
}

/** What a server must never do, as often as this run saw it. */
export function faultsOf(result: Result): Fault[] {
  const figures = observationsOf(result).flatMap((observation) => observation.figures);
  return FAULTS.flatMap((key) => {
    const same = figures.filter((figure) => figure.key === key) as [Figure, ...Figure[]] | [];
    const value = same.reduce((total, figure) => total + (figure.value ?? 0), 0);
    return value > 0 ? [{ key, label: same[0]!.label, value }] : [];
  });
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

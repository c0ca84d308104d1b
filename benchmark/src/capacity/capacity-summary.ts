import { styleText } from "node:util";
import { ms, short, table, whole } from "../report/format.ts";
import type { CapacityResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";
import type { CapacityAttempt, CapacitySearch } from "./capacity-result.ts";

/** What passes, what fails, and what was exhausted. */
export function capacitySummary(result: CapacityResult): string {
  const { target, searches, p100LimitMs, errors } = result;
  const where = target.isThrowaway ? "started for this run" : target.url;
  return [
    styleText(
      "bold",
      `Capacity of ${target.name}, ${where} · everybody has every message within ${short(p100LimitMs)} ms`,
    ),
    ...(result.interrupted
      ? [styleText("yellow", "  Interrupted: what follows is what there was until then.")]
      : []),
    "",
    ...searches.flatMap((search) => section(headingOf(search), searchLines(search, result.interrupted))),
    ...section("Errors", errors.length === 0 ? [] : [errorTable(errors)]),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

export function headingOf({ what, members }: CapacitySearch): string {
  if (what === "users") return "Members online in one group";
  return `Messages per second, to ${whole(members ?? 0)} members online in one group`;
}

function searchLines(search: CapacitySearch, interrupted: boolean): string[] {
  const { held, failed } = search;
  const gaveOut = failed?.resource;
  return [
    held
      ? styleText("green", `  holds         ${amountOf(search, held)}: p100 ${ms(held.p100Ms)}`)
      : styleText(interrupted ? "yellow" : "red", `  holds         ${nothingHeld(search)}`),
    `  does not hold ${failed ? `${amountOf(search, failed)}: ${failed.reasons.join(", ")}` : nothingFailed(search, interrupted)}`,
    ...(gaveOut ? [`  what gave out ${gaveOut.name}: ${gaveOut.why}`] : []),
    "",
    table(attemptRows(search)),
  ];
}

export function nothingHeld({ attempts }: CapacitySearch): string {
  return attempts.length === 0 ? "nothing was tried" : "nothing that was tried";
}

export function nothingFailed({ atMost }: CapacitySearch, interrupted: boolean): string {
  if (interrupted) return "not known: interrupted before anything was too much";
  return `nothing was too much, up to the bound of the search (${whole(atMost)})`;
}

export function amountOf({ what, members }: CapacitySearch, { value }: CapacityAttempt): string {
  if (what === "users") return `${whole(value)} members`;
  return `${whole(value)} messages/s, ${whole(value * (members ?? 0))} deliveries/s`;
}

export function attemptRows({ attempts }: CapacitySearch): string[][] {
  return [
    ["attempt", "p100", "lost", "refused", "server cores", ""],
    ...attempts.map((attempt) => [
      whole(attempt.value),
      ms(attempt.p100Ms),
      whole(attempt.lost),
      whole(attempt.refused),
      attempt.serverCores === null ? "–" : attempt.serverCores.toFixed(2),
      attempt.held ? "holds" : "does not",
    ]),
  ];
}

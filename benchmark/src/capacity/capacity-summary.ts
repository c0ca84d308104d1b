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
      `Capacity of ${target.name}, ${where} · every message reaches everyone within ${short(p100LimitMs)} ms`,
    ),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
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
      ? styleText("green", `  passes    ${amountOf(search, held)}: ${timesOf(held)}`)
      : styleText(interrupted ? "yellow" : "red", `  passes    ${nothingHeld(search)}`),
    `  fails     ${failed ? `${amountOf(search, failed)}: ${failed.reasons.join(", ")}` : nothingFailed(search, interrupted)}`,
    ...(gaveOut ? [`  exhausted ${gaveOut.name}: ${gaveOut.why}`] : []),
    "",
    table(attemptRows(search)),
  ];
}

export function nothingHeld({ attempts }: CapacitySearch): string {
  return attempts.length === 0 ? "nothing tried" : "nothing passed";
}

export function nothingFailed({ atMost }: CapacitySearch, interrupted: boolean): string {
  if (interrupted) return "unknown: interrupted before anything failed";
  return `nothing failed, up to the search limit (${whole(atMost)})`;
}

export function amountOf({ what, members }: CapacitySearch, { value }: CapacityAttempt): string {
  if (what === "users") return `${whole(value)} members`;
  return `${whole(value)} messages/s, ${whole(value * (members ?? 0))} deliveries/s`;
}

export function timesOf({ worstMs, medianMs }: CapacityAttempt): string {
  return `worst message ${ms(worstMs)}, median ${ms(medianMs)}`;
}

export function attemptRows({ attempts, what }: CapacitySearch): string[][] {
  // A steady rate has no first message and no idle time.
  const hasSingle = what === "users";
  return [
    [
      "attempt",
      "worst",
      "median",
      ...(hasSingle ? ["first", "cold"] : []),
      "lost",
      "refused",
      "server cores",
      "",
    ],
    ...attempts.map((attempt) => [
      whole(attempt.value),
      ms(attempt.worstMs),
      ms(attempt.medianMs),
      ...(hasSingle ? [ms(attempt.firstMs), ms(attempt.coldMs)] : []),
      whole(attempt.lost),
      whole(attempt.refused),
      attempt.serverCores === null ? "–" : attempt.serverCores.toFixed(2),
      attempt.held ? "passes" : "fails",
    ]),
  ];
}
